import { messageOf } from '@macbatch/core';
import { parse, TomlError } from 'smol-toml';
import { ConfigError } from '../read-config.ts';
import { FILE_SETTINGS, SECTION_NAMES, type SectionName } from './file-settings.ts';
import { nearestName } from './nearest-name.ts';
import { settingText } from './setting-text.ts';

const NO_KEY = 'a key must not be in this file; write it into a file of mode 0600, and set key_file';

/** The variables that each section of a configuration file sets. */
export type ConfigFile = Readonly<Record<SectionName, Readonly<Record<string, string>>>>;

/**
 * Parses the text of a configuration file. `resolvePath` makes a path of the file absolute. Throws `ConfigError`
 * with all problems in one message, which contains no value.
 */
export function parseConfigFile(text: string, resolvePath: (path: string) => string): ConfigFile {
  const problems: string[] = [];
  const file: Record<SectionName, Record<string, string>> = { client: {}, worker: {}, rules: {} };
  const table = parseToml(text);
  for (const [section, content] of Object.entries(table)) {
    if (!isSection(section)) problems.push(`[${section}]: ${unknown('section', section, SECTION_NAMES)}`);
    else if (!isTable(content)) problems.push(`${section}: must be a section, [${section}]`);
    else problems.push(...readSection(section, content, file[section], resolvePath));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return file;
}

function readSection(
  section: SectionName,
  content: Readonly<Record<string, unknown>>,
  variables: Record<string, string>,
  resolvePath: (path: string) => string,
): readonly string[] {
  const settings = FILE_SETTINGS[section];
  return Object.entries(content).flatMap(([name, value]) => {
    const at = `[${section}] ${name}`;
    if (name === 'key') return [`${at}: ${NO_KEY}`];
    const setting = settings.find((each) => each.name === name);
    if (setting === undefined)
      return [
        `${at}: ${unknown(
          'setting',
          name,
          settings.map((each) => each.name),
        )}`,
      ];
    const text = settingText(setting, value, resolvePath);
    if (text === undefined) return [`${at}: has the wrong type`];
    if (name === 'endpoints' && hasKey(value)) return [`${at}: ${NO_KEY}`];
    variables[setting.variable] = text;
    const { error } = setting.schema.safeParse(text);
    return (error?.issues ?? []).map(
      (issue) =>
        `${[at, ...issue.path].join('.')}: ${issue.code === 'unrecognized_keys' ? 'has an unknown member' : issue.message}`,
    );
  });
}

function hasKey(endpoints: unknown): boolean {
  return Array.isArray(endpoints) && endpoints.some((each) => isTable(each) && Object.hasOwn(each, 'key'));
}

function unknown(kind: string, name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined
    ? `is no ${kind}; there are ${names.join(', ')}`
    : `is no ${kind}; did you mean ${nearest}?`;
}

function isSection(name: string): name is SectionName {
  return SECTION_NAMES.some((each) => each === name);
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Parses TOML. The parser’s own message repeats a part of the file, which may be a key. */
function parseToml(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n');
    throw new ConfigError([
      error instanceof TomlError
        ? `line ${error.line}: ${reason.replace(/^Invalid TOML document: /, '')}`
        : reason,
    ]);
  }
}
