import { readConfigFile } from '@macbatch/process';
import { ConfigError, withFileSettings, withoutEmptyVariables } from '@macbatch/settings';
import { EXIT, Failure, type Terminal } from '@macbatch/terminal';

/**
 * Returns the environment of a command: the variables that are set, then the `[client]` settings of the configuration
 * file. A worker reads its own section itself. Throws a `Failure` if the file is wrong.
 */
export function programEnv(argv: readonly string[], env: Terminal['env']): Terminal['env'] {
  const set = withoutEmptyVariables(env);
  if (argv[2] === 'worker' || argv[2] === 'config') return set;
  try {
    const file = readConfigFile(set);
    const env = withFileSettings(set, 'client', file);
    // The workers of `run` are its own: they use the model servers of this machine's worker.
    return argv[2] === 'run' ? { MACBATCH_ENDPOINTS: file.worker['MACBATCH_ENDPOINTS'], ...env } : env;
  } catch (error) {
    if (error instanceof ConfigError) throw new Failure(EXIT.usage, error.message);
    throw error;
  }
}
