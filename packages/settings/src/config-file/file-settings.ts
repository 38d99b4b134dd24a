import type { z } from 'zod';
import { CommandLineConfig } from '../command-line-config.ts';
import { RulesConfig } from '../rules-config.ts';
import { variablesOf } from '../variables.ts';
import { WorkerConfig } from '../worker-config.ts';

/** The sections of the configuration file: the commands that call a control plane, the worker, and when it may run. */
export const SECTION_NAMES = ['client', 'worker', 'rules'] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

/** A setting of the configuration file. */
export interface FileSetting {
  readonly section: SectionName;
  readonly name: string;
  /** The environment variable that sets the same thing. */
  readonly variable: string;
  readonly schema: z.ZodType;
}

/** Variables with a secret. A secret belongs in a file of mode 0600 that the configuration file names. */
const SECRETS = ['MACBATCH_KEY', 'MACBATCH_JOIN_TOKEN'];

/** Says where the configuration file is, so the file cannot set it. */
const PATH_VARIABLE = 'MACBATCH_CONFIG';

const SHORTER_NAMES: Readonly<Record<string, string>> = { control_url: 'url', worker_id: 'id' };

function settingsOf(section: SectionName, config: z.ZodObject): readonly FileSetting[] {
  return variablesOf(config).flatMap((variable) => {
    // Proxies have two variables each. The file has the lower-case name, which takes precedence.
    const upperCaseProxy = /^[A-Z]+_PROXY$/.test(variable);
    const schema = config.shape[variable];
    if (schema === undefined || upperCaseProxy || variable === PATH_VARIABLE || SECRETS.includes(variable))
      return [];
    const name = variable.replace(/^MACBATCH_(RULES_)?/, '').toLowerCase();
    return [{ section, name: SHORTER_NAMES[name] ?? name, variable, schema: schema as z.ZodType }];
  });
}

/** All settings of the configuration file. They are derived from the variables of the programs. */
export const FILE_SETTINGS: Readonly<Record<SectionName, readonly FileSetting[]>> = {
  client: settingsOf('client', CommandLineConfig),
  worker: settingsOf('worker', WorkerConfig),
  rules: settingsOf('rules', RulesConfig),
};
