import { EXIT, Failure } from '@macbatch/terminal';
import type { Command } from 'commander';

/** How a person names a model server on the command line. */
export interface EndpointOptions {
  readonly endpoint?: string;
  readonly endpointKeyEnv?: string;
  readonly map?: readonly string[];
}

/** Adds the options to a command. */
export function withEndpointOptions(command: Command): Command {
  return command
    .option('--endpoint <url>', 'an OpenAI-compatible model server, as in http://127.0.0.1:11434/v1')
    .option('--endpoint-key-env <name>', 'environment variable that holds its API key')
    .option(
      '--map <alias=model>',
      'what a model alias is called on that server (repeatable)',
      // Not a list of its own: it would swallow the file that follows it.
      (pair: string, pairs: readonly string[] | undefined) => [...(pairs ?? []), pair],
    );
}

/** The workers' environment with the endpoint added; what the environment says stays otherwise. */
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
    const at = pair.indexOf('=');
    if (at < 1 || at === pair.length - 1)
      throw new Failure(EXIT.usage, `--map takes alias=model, not "${pair}"`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  // Without a map the model is called on the server what the job calls it.
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
