import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '@macbatch/core';
import { readHeaderLines } from '@macbatch/settings';
import { EXIT, Failure, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';

/** The options that name a model server. */
export interface EndpointOptions {
  readonly endpoint?: string;
  readonly endpointKeyEnv?: string;
  readonly header?: readonly string[];
  readonly headerFile?: string;
  readonly map?: readonly string[];
}

/** Adds the options that name a model server. */
export function withEndpointOptions(command: Command): Command {
  return command
    .option('--endpoint <url>', 'URL of an OpenAI-compatible model server, such as http://127.0.0.1:11434/v1')
    .option('--endpoint-key-env <name>', 'environment variable with the API key of the model server')
    .option('--header <line>', 'header for the model server, such as "X-Team: batch" (repeatable)', repeated)
    .option(
      '--header-file <file>',
      'file of such headers, one a line, for secrets: other users can see the arguments of a process',
    )
    .option(
      '--map <alias=model>',
      'name of a model alias on that server, or on the servers that the worker finds (repeatable)',
      repeated,
    )
    .addHelpText(
      'after',
      '\nHTTP_PROXY, HTTPS_PROXY and NO_PROXY apply to model servers on other machines. MACBATCH_CA_FILE names a PEM file of\ncertificate authorities to trust. MACBATCH_ENDPOINTS sets up several servers: docs/model-servers.md',
    );
}

/** Collects the values of a repeatable option. A variadic option would take the argument that follows as well. */
export function repeated(value: string, values: readonly string[] | undefined): readonly string[] {
  return [...(values ?? []), value];
}

/** Adds the endpoint to the environment of the workers. Without --endpoint, returns the environment unchanged. */
export function withEndpoint(
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
  options: EndpointOptions,
  defaultAlias?: string,
): Record<string, string | undefined> {
  if (options.endpoint === undefined) {
    for (const name of ['header', 'headerFile'] as const) {
      const option = name === 'headerFile' ? '--header-file' : `--${name}`;
      if (options[name] !== undefined) throw new Failure(EXIT.usage, `${option} needs --endpoint`);
    }
    const aliases = aliasesOf(options);
    if (Object.keys(aliases).length === 0) return { ...env };
    if (!discoversServers(env))
      throw new Failure(
        EXIT.usage,
        '--map needs --endpoint, or a worker that looks for model servers itself',
      );
    return { ...env, MACBATCH_ALIASES: JSON.stringify(aliases) };
  }
  if (!['http:', 'https:'].includes(URL.parse(options.endpoint)?.protocol ?? ''))
    throw new Failure(
      EXIT.usage,
      '--endpoint must begin with http:// or https://, such as http://127.0.0.1:11434/v1',
    );
  const aliases = aliasesOf(options);
  // Without --map, the model has the same name on the server as in the job.
  const models =
    Object.keys(aliases).length > 0
      ? aliases
      : defaultAlias === undefined
        ? {}
        : { [defaultAlias]: defaultAlias };
  if (Object.keys(models).length === 0) throw new Failure(EXIT.usage, '--endpoint needs --map alias=model');
  const key = options.endpointKeyEnv === undefined ? undefined : env[options.endpointKeyEnv];
  if (options.endpointKeyEnv !== undefined && key === undefined) {
    throw new Failure(EXIT.usage, `--endpoint-key-env: ${options.endpointKeyEnv} is not set`);
  }
  const headers = headersOf(options, cwd);
  const endpoint = {
    url: options.endpoint,
    models,
    ...(key === undefined ? {} : { key }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
  return { ...env, MACBATCH_ENDPOINTS: JSON.stringify([endpoint]) };
}

/** Whether an environment names a model server. */
export function hasEndpoint({
  MACBATCH_ENDPOINTS: endpoints = '',
}: Readonly<Record<string, string | undefined>>): boolean {
  return !['', '[]'].includes(endpoints);
}

/** Whether a worker with this environment looks for model servers on its machine. */
export function discoversServers(env: Readonly<Record<string, string | undefined>>): boolean {
  return !hasEndpoint(env) && !['0', 'false'].includes(env['MACBATCH_DISCOVER'] ?? '');
}

function aliasesOf({ map = [] }: EndpointOptions): Readonly<Record<string, string>> {
  const pairs = map.map((pair) => {
    const equalsAt = pair.indexOf('=');
    if (equalsAt < 1 || equalsAt === pair.length - 1)
      throw new Failure(EXIT.usage, `--map takes alias=model, not "${pair}"`);
    return [pair.slice(0, equalsAt), pair.slice(equalsAt + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

/** Reads the headers of the file and of the options. No message contains a value. */
function headersOf({ header, headerFile }: EndpointOptions, cwd: string): Readonly<Record<string, string>> {
  const own = readHeaderLines(header ?? []);
  if ('badLine' in own) throw new Failure(EXIT.usage, '--header takes "Name: value"');
  if (headerFile === undefined) return own.headers;
  let text: string;
  try {
    text = readFileSync(resolve(cwd, headerFile), 'utf8');
  } catch (error) {
    throw new Failure(EXIT.usage, `--header-file: ${messageOf(error)}`);
  }
  const read = readHeaderLines(text.split('\n'));
  if ('badLine' in read) {
    throw new Failure(
      EXIT.usage,
      `--header-file: line ${read.badLine} of ${headerFile} is not "Name: value"`,
    );
  }
  return { ...read.headers, ...own.headers };
}
