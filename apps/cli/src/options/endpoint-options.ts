import { EXIT, Failure } from '@macbatch/terminal';
import type { Command } from 'commander';

/** The options that name a model server. */
export interface EndpointOptions {
  readonly endpoint?: string;
  readonly endpointKeyEnv?: string;
  readonly map?: readonly string[];
}

/** Adds the options that name a model server. */
export function withEndpointOptions(command: Command): Command {
  return command
    .option('--endpoint <url>', 'URL of an OpenAI-compatible model server, such as http://127.0.0.1:11434/v1')
    .option('--endpoint-key-env <name>', 'environment variable with the API key of the model server')
    .option(
      '--map <alias=model>',
      'name of a model alias on that server (repeatable)',
      // A variadic option would take the file that follows as well.
      (pair: string, pairs: readonly string[] | undefined) => [...(pairs ?? []), pair],
    );
}

/** Adds the endpoint to the environment of the workers. Without --endpoint, returns the environment unchanged. */
export function withEndpoint(
  env: Readonly<Record<string, string | undefined>>,
  options: EndpointOptions,
  defaultAlias?: string,
): Record<string, string | undefined> {
  if (options.endpoint === undefined) {
    if (options.map !== undefined) throw new Failure(EXIT.usage, '--map needs --endpoint');
    return { ...env };
  }
  const pairs = (options.map ?? []).map((pair) => {
    const equalsAt = pair.indexOf('=');
    if (equalsAt < 1 || equalsAt === pair.length - 1)
      throw new Failure(EXIT.usage, `--map takes alias=model, not "${pair}"`);
    return [pair.slice(0, equalsAt), pair.slice(equalsAt + 1)];
  });
  // Without --map, the model has the same name on the server as in the job.
  const models =
    pairs.length > 0
      ? Object.fromEntries(pairs)
      : defaultAlias === undefined
        ? {}
        : { [defaultAlias]: defaultAlias };
  if (Object.keys(models).length === 0) throw new Failure(EXIT.usage, '--endpoint needs --map alias=model');
  const key = options.endpointKeyEnv === undefined ? undefined : env[options.endpointKeyEnv];
  if (options.endpointKeyEnv !== undefined && key === undefined) {
    throw new Failure(EXIT.usage, `--endpoint-key-env: ${options.endpointKeyEnv} is not set`);
  }
  const endpoint = { url: options.endpoint, models, ...(key === undefined ? {} : { key }) };
  return { ...env, MACBATCH_ENDPOINTS: JSON.stringify([endpoint]) };
}
