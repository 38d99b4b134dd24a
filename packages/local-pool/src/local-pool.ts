import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@macbatch/core';
import { CONNECTION_VARIABLES } from '@macbatch/process';
import { EXIT, Failure } from '@macbatch/terminal';
import { type ChildProgram, startProgram } from './child-program.ts';

/** How long programs may take to stop before they are killed. */
const STOP_MS = 20_000;

export interface LocalPoolOptions {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** 0 takes a free port. */
  readonly port: number;
  readonly host?: string;
  readonly workers: number;
}

/** A control plane with its own Postgres, and workers, as processes on this machine. */
export interface LocalPool {
  readonly url: string;
  readonly workers: readonly ChildProgram[];
  readonly control: ChildProgram;
  /** Drains the workers, then stops the control plane; with `insist` at once. */
  stop(insisted: AbortSignal): Promise<void>;
}

/** The environment of a child: ours, without what was meant for this program or another of the pool. */
function childEnv(
  env: LocalPoolOptions['env'],
  own: Readonly<Record<string, string>>,
): Record<string, string | undefined> {
  const foreign = Object.entries(env).filter(([name]) => !name.startsWith('MACBATCH_'));
  return { ...Object.fromEntries(foreign), ...own };
}

/** What the control plane of a local pool is told. */
export function controlEnv(options: LocalPoolOptions): Record<string, string | undefined> {
  return childEnv(options.env, {
    ...(options.env['MACBATCH_DATABASE_URL'] === undefined
      ? { MACBATCH_DATA_DIR: join(options.dataDir, 'postgres') }
      : { MACBATCH_DATABASE_URL: options.env['MACBATCH_DATABASE_URL'] }),
    MACBATCH_PORT: String(options.port),
    PROBE_STATE: join(options.dataDir, 'probe_state.json'),
    ...(options.host === undefined ? {} : { MACBATCH_HOST: options.host }),
    // Workers on one machine share it: a copy would slow what it copies, and be paid for at an endpoint.
    ...(options.workers > 0 ? { MACBATCH_COPIES: 'off' } : {}),
    ...given(options.env, [
      'MACBATCH_RENEWED_LEASE_SECONDS',
      'MACBATCH_MAX_JSON_MB',
      'MACBATCH_MAX_LINE_MB',
      'MACBATCH_MIN_FREE_MB',
      'MACBATCH_COPIES',
      'MACBATCH_ORDER',
      'MACBATCH_TLS_CERT',
      'MACBATCH_TLS_KEY',
      'MACBATCH_TRUST_PROXY',
      'MACBATCH_REQUESTS_PER_SECOND',
      'MACBATCH_STREAMS',
      'MACBATCH_BODY_IDLE_SECONDS',
      'MACBATCH_MAX_UNFINISHED_ITEMS',
      'MACBATCH_MAX_UNFINISHED_MB',
    ]),
  });
}

/** Starts the pool and resolves when the control plane answers. */
export async function startLocalPool(options: LocalPoolOptions): Promise<LocalPool> {
  const logs = join(options.dataDir, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const control = startProgram(
    '@macbatch/control',
    'control plane',
    controlEnv(options),
    join(logs, 'control.log'),
  );
  let url: string;
  try {
    url = String((await control.message('control.listening'))['url']);
  } catch (error) {
    const reason = messageOf(error);
    throw new Failure(
      EXIT.unavailable,
      `The control plane did not start: ${reason}\nIts log: ${control.logPath}`,
    );
  }
  const workers = Array.from({ length: options.workers }, (_, n) => startLocalWorker(options, url, n + 1));
  return {
    url,
    workers,
    control,
    async stop(insisted) {
      await stopAll(workers, insisted);
      await stopAll([control], insisted);
    },
  };
}

function startLocalWorker(options: LocalPoolOptions, url: string, n: number): ChildProgram {
  const name = `${hostname().replaceAll(/[^\x21-\x7e]+/g, '-')}-${n}`;
  return startProgram(
    '@macbatch/worker',
    name,
    childEnv(options.env, {
      MACBATCH_CONTROL_URL: url,
      MACBATCH_WORKER_ID: name,
      // Kept with the database whose outcomes they are; nothing of a local pool is outside its folder.
      MACBATCH_STATE_DIR: join(options.dataDir, 'workers'),
      PROBE_STATE: join(options.dataDir, 'probe_state.json'),
      ...given(options.env, [
        ...CONNECTION_VARIABLES,
        'MACBATCH_ENDPOINTS',
        'MACBATCH_CONCURRENCY',
        'MACBATCH_LEASE_LIMIT',
        'MACBATCH_USE_LITE',
        'MACBATCH_NOOP',
        'MACBATCH_GRACE_SECONDS',
        'MACBATCH_HEARTBEAT_SECONDS',
      ]),
    }),
    join(options.dataDir, 'logs', `worker-${n}.log`),
  );
}

function given(env: LocalPoolOptions['env'], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

async function stopAll(programs: readonly ChildProgram[], insisted: AbortSignal): Promise<void> {
  for (const program of programs) program.signal('SIGTERM');
  const again = () => {
    for (const program of programs) program.signal('SIGTERM');
  };
  if (insisted.aborted) again();
  else insisted.addEventListener('abort', again, { once: true });
  const kill = setTimeout(() => {
    for (const program of programs) program.signal('SIGKILL');
  }, STOP_MS);
  await Promise.all(programs.map((program) => program.exited));
  clearTimeout(kill);
  insisted.removeEventListener('abort', again);
}
