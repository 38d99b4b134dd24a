import type { Draft } from '@macbatch/job-files';
import { programOutput } from '@macbatch/local-pool';
import { EXIT, Failure, printLine, type Terminal } from '@macbatch/terminal';
import { z } from 'zod';
import { discoversServers, hasEndpoint } from './endpoint-options.ts';
import { EMBEDDED_MODEL } from './job-draft.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The output of `worker models --json`, as far as it is used here. */
const Listing = z.object({
  servers: z.array(
    z.object({
      url: z.string(),
      server: z.string().nullable(),
      models: z.array(z.object({ names: z.array(z.string()), job_types: z.array(z.string()) })),
    }),
  ),
});

/** Longest list of models in a message. */
const MAX_LISTED = 20;

/**
 * Returns the environment of workers that can run the job. If only a model server can and none is named, looks for one on
 * this machine. Throws a `Failure` if there is none.
 */
export async function withModelServer(
  { job_type: type, model }: Pick<Draft['header'], 'job_type' | 'model'>,
  env: Env,
  { stderr }: Pick<Terminal, 'stderr'>,
): Promise<Env> {
  if (hasEndpoint(env)) return env;
  if (type === 'noop' || model === EMBEDDED_MODEL) return { ...env, MACBATCH_DISCOVER: '0' };
  const missing = `--endpoint is missing: ${type} with the model ${model} needs a model server, such as --endpoint http://127.0.0.1:11434/v1`;
  if (!discoversServers(env)) throw new Failure(EXIT.usage, missing);
  const { servers } = Listing.parse(
    JSON.parse(await programOutput('@macbatch/worker', env, ['models', '--json'])),
  );
  const able = servers.filter(({ models }) =>
    models.some(
      ({ names, job_types: types }) => names.includes(model) && (type === 'request' || types.includes(type)),
    ),
  );
  if (able.length > 0) {
    const found = able.map(({ server, url }) => `${server} at ${url}`).join(', ');
    printLine(stderr, `using ${found}`);
    return { ...env, MACBATCH_DISCOVER: '1' };
  }
  const names = servers.flatMap(({ models }) => models.flatMap((each) => each.names));
  throw new Failure(
    EXIT.usage,
    names.length === 0
      ? `${missing}. No model server was found on this machine`
      : `No model server of this machine runs ${type} with the model ${model}. They have ${listed(names)}. Name another server with --endpoint, or a model with --map ${model}=…`,
  );
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return `${names.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
