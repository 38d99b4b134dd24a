import { join } from 'node:path';
import { Client } from '@macbatch/client';
import type { JobView, ResultLine } from '@macbatch/contract';
import { freshDatabase } from '@macbatch/store/testing';
import { type OnEnd, testFolder, until } from '@macbatch/testing';
import { onTestFinished } from 'vitest';
import { type Program, type ProgramOptions, start } from './program.ts';

/** A control plane process with a database of the test server. */
export interface Control {
  readonly url: string;
  readonly databaseUrl: string;
  readonly client: Client;
  readonly program: Program;
  /** The environment of the folders that keep state between restarts. */
  readonly stateEnv: Readonly<Record<string, string>>;
  /** Starts the control plane again on the same port and database. */
  again(): Promise<Program>;
}

/** Starts a control plane. It is killed, and its database dropped, when the test has finished, or when `onEnd` says. */
export async function startControl(
  env: Readonly<Record<string, string>> = {},
  onEnd: OnEnd = onTestFinished,
): Promise<Control> {
  const database = await freshDatabase();
  onEnd(() => database[Symbol.asyncDispose]());
  const folder = testFolder(onEnd);
  const probe = { PROBE_STATE: join(folder, 'probe_state.json') };
  const startOn = async (port: string) => {
    const program = start('control', [], {
      env: { ...probe, ...env, MACBATCH_DATABASE_URL: database.url, MACBATCH_PORT: port },
      onEnd,
    });
    return { program, url: String((await program.event('control.listening'))['url']) };
  };
  const { program, url } = await startOn('0');
  return {
    url,
    databaseUrl: database.url,
    client: new Client({ baseUrl: url }),
    program,
    stateEnv: { ...probe, MACBATCH_STATE_DIR: join(folder, 'workers') },
    again: async () => (await startOn(new URL(url).port)).program,
  };
}

/** Starts a worker of a control plane. */
export function startWorker(control: Control, id: string, options: ProgramOptions = {}): Program {
  return start('worker', [], {
    ...options,
    env: {
      ...control.stateEnv,
      MACBATCH_CONTROL_URL: control.url,
      MACBATCH_WORKER_ID: id,
      MACBATCH_USE_LITE: '0',
      ...options.env,
    },
  });
}

/** Waits until a job has ended. Returns it. */
export async function endedJob(client: Client, id: string): Promise<JobView> {
  return until(async () => {
    const job = await client.call('readJob', { params: { id } }).catch(() => undefined);
    return job !== undefined && job.state !== 'queued' && job.state !== 'running' && job;
  });
}

/** Reads all results of a job. */
export async function resultsOf(client: Client, id: string): Promise<ResultLine[]> {
  const lines: ResultLine[] = [];
  for await (const line of client.results(id)) lines.push(JSON.parse(line) as ResultLine);
  return lines;
}

/** Returns the environment of a worker that offers the model `parrot` at an endpoint. */
export function parrotAt(url: string): Readonly<Record<string, string>> {
  return { MACBATCH_ENDPOINTS: JSON.stringify([{ url, models: { parrot: 'parrot-1' } }]) };
}

/** Submits a chat job with this many prompts for the model `parrot`. Returns its id. */
export async function submitPrompts(client: Client, prompts: number, shardSize: number): Promise<string> {
  const { job } = await client.submit(async function* () {
    yield JSON.stringify({ job_type: 'chat', model: 'parrot', shard_size: shardSize });
    for (let n = 0; n < prompts; n += 1) yield JSON.stringify({ id: `p${n}`, payload: `Prompt ${n}` });
  });
  return job.id;
}
