import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@macbatch/core';
import { ControlConfig, nameOfHost, pickVariables, variablesOf, WorkerConfig } from '@macbatch/settings';
import { EXIT, Failure } from '@macbatch/terminal';
import { type ChildProgram, startProgram } from './child-program.ts';

/** Programs that take longer to stop are killed. */
const STOP_TIMEOUT_MS = 20_000;

export interface LocalPoolOptions {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** 0 means any free port. */
  readonly port: number;
  /** @default this machine only */
  readonly host?: string | undefined;
  readonly workers: number;
}

/** A control plane with its own Postgres and its workers, all as processes on this machine. */
export interface LocalPool {
  readonly url: string;
  readonly workers: readonly ChildProgram[];
  readonly control: ChildProgram;
  /** Drains the workers, then stops the control plane. Stops both immediately when `forceQuit` aborts. */
  stop(forceQuit: AbortSignal): Promise<void>;
}

/** Returns the environment of a child process: `env` with `own` instead of all `MACBATCH_` variables. */
function childEnv(
  env: LocalPoolOptions['env'],
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const foreign = Object.entries(env).filter(([name]) => !name.startsWith('MACBATCH_'));
  return { ...Object.fromEntries(foreign), ...own };
}

/** Returns the environment of the pool's control plane. */
export function controlEnv(options: LocalPoolOptions): Record<string, string | undefined> {
  const { MACBATCH_DATABASE_URL: url, ...settings } = pickVariables(ControlConfig, options.env);
  return childEnv(options.env, {
    PROBE_STATE: join(options.dataDir, 'probe_state.json'),
    // Workers on one machine share its processor: a copy would slow down the original. At a paid endpoint, it would
    // also cost money.
    ...(options.workers > 0 ? { MACBATCH_COPIES: 'off' } : {}),
    ...settings,
    MACBATCH_PORT: String(options.port),
    MACBATCH_HOST: options.host,
    MACBATCH_DATA_DIR: url === undefined ? join(options.dataDir, 'postgres') : undefined,
    MACBATCH_DATABASE_URL: url,
  });
}

/** Starts a pool. Resolves when the control plane listens. Throws a `Failure` if it does not start. */
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
    async stop(forceQuit) {
      await stopAll(workers, forceQuit);
      await stopAll([control], forceQuit);
    },
  };
}

/** Variables of a control plane whose names do not begin with `MACBATCH_`: the secret of its file store. */
const NOT_FOR_WORKERS = Object.fromEntries(
  variablesOf(ControlConfig)
    .filter((name) => !name.startsWith('MACBATCH_'))
    .map((name) => [name, undefined]),
);

/** Returns the environment of a worker of the pool. */
export function workerEnv(
  options: LocalPoolOptions,
  url: string,
  name: string,
): Record<string, string | undefined> {
  return childEnv(options.env, {
    ...NOT_FOR_WORKERS,
    PROBE_STATE: join(options.dataDir, 'probe_state.json'),
    // Only if the caller wants it: the default of a worker is to look for model servers.
    MACBATCH_DISCOVER: '0',
    ...pickVariables(WorkerConfig, options.env),
    // Whoever runs a pool here wants it to run now, also on battery.
    MACBATCH_RULES_ENABLED: '0',
    // Only `worker join` uses a token.
    MACBATCH_JOIN_TOKEN: undefined,
    MACBATCH_CONTROL_URL: url,
    MACBATCH_WORKER_ID: name,
    // Beside the database: a local pool keeps everything in its own folder.
    MACBATCH_STATE_DIR: join(options.dataDir, 'workers'),
  });
}

function startLocalWorker(options: LocalPoolOptions, url: string, n: number): ChildProgram {
  const name = `${nameOfHost(hostname(), 'worker')}-${n}`;
  return startProgram(
    '@macbatch/worker',
    name,
    workerEnv(options, url, name),
    join(options.dataDir, 'logs', `worker-${n}.log`),
  );
}

async function stopAll(programs: readonly ChildProgram[], forceQuit: AbortSignal): Promise<void> {
  for (const program of programs) program.signal('SIGTERM');
  const terminateAgain = () => {
    for (const program of programs) program.signal('SIGTERM');
  };
  if (forceQuit.aborted) terminateAgain();
  else forceQuit.addEventListener('abort', terminateAgain, { once: true });
  const kill = setTimeout(() => {
    for (const program of programs) program.signal('SIGKILL');
  }, STOP_TIMEOUT_MS);
  await Promise.all(programs.map((program) => program.exited));
  clearTimeout(kill);
  forceQuit.removeEventListener('abort', terminateAgain);
}
