import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, type ConfigFile, parseConfigFile } from '@macbatch/settings';

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the path of the configuration file: `MACBATCH_CONFIG`, or `config.toml` in the user's `.macbatch` folder. */
export function configPath(env: Env): string {
  const named = env['MACBATCH_CONFIG'];
  return named === undefined || named === ''
    ? join(env['HOME'] ?? homedir(), '.macbatch', 'config.toml')
    : resolve(named);
}

/**
 * Reads the configuration file. Without one, no section sets anything. Throws `ConfigError`, which names the file and
 * each setting at fault and never a value.
 */
export function readConfigFile(env: Env): ConfigFile {
  const path = configPath(env);
  const home = env['HOME'] ?? homedir();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code === 'ENOENT' && (env['MACBATCH_CONFIG'] ?? '') === '')
      return { client: {}, worker: {}, rules: {} };
    throw new ConfigError([`${path}: the configuration file cannot be read (${String(code)})`]);
  }
  try {
    return parseConfigFile(text, (named) => resolve(dirname(path), named.replace(/^~(?=\/|$)/, home)));
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError([`in ${path}:`, ...error.problems]);
    throw error;
  }
}
