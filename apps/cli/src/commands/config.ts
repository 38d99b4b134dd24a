import { configPath, readConfigFile } from '@macbatch/process';
import { ConfigError, type ConfigFile, effectiveSettings } from '@macbatch/settings';
import { EXIT, Failure, printJson, printLine, type Terminal, table } from '@macbatch/terminal';
import type { Command } from 'commander';
import { addCommand } from './command-names.ts';

/** Adds the command `config`. */
export function addConfig(program: Command, terminal: Terminal): void {
  const config = addCommand(program, 'config');

  config
    .command('path')
    .description('print the path of the configuration file')
    .option('--json', 'print JSON')
    .action(({ json }: { readonly json?: boolean }) => {
      const path = configPath(terminal.env);
      if (json === true) printJson(terminal.stdout, { path });
      else printLine(terminal.stdout, path);
    });

  config
    .command('show')
    .description('list all settings with their values and what set them')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nOrder: option, environment variable, configuration file, default. The file has the sections [client] and [worker];\ndocs/configuration.md lists all settings.',
    )
    .action((options: { readonly json?: boolean }) => {
      const settings = effectiveSettings(terminal.env, fileOf(terminal.env));
      if (options.json === true) return printJson(terminal.stdout, settings);
      const rows = settings.map(({ section, name, variable, value, source }) => [
        `[${section}] ${name}`,
        value ?? '-',
        source === 'environment' ? variable : source,
      ]);
      return printLine(terminal.stdout, table(['setting', 'value', 'set by'], rows));
    });
}

function fileOf(env: Terminal['env']): ConfigFile {
  try {
    return readConfigFile(env);
  } catch (error) {
    if (error instanceof ConfigError) throw new Failure(EXIT.usage, error.message);
    throw error;
  }
}
