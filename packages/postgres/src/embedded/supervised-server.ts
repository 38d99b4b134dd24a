import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pTimeout from 'p-timeout';
import { readPostmasterFile } from './postmaster.ts';
import { SERVER_ENVIRONMENT } from './server-environment.ts';
import type { SupervisionOrder, SupervisionReport } from './supervision-order.ts';

/** Replaying the log after a crash can take a while. */
const START_PATIENCE_MS = 180_000;
const LOOK_EVERY_MS = 10;
const LOG_PATIENCE_MS = 1000;
const LINES_KEPT = 20;

/** A server that ended before it took connections. */
export class ServerDidNotStart extends Error {
  override readonly name = 'ServerDidNotStart';
  /** The last lines of its log. */
  readonly log: string;

  constructor(how: string, log: string) {
    super(how);
    this.log = log;
  }
}

/** A running server and its supervisor. */
export interface SupervisedServer {
  /** Resolves with why, and how its log ends, once the server has ended without being told to. */
  readonly ended: Promise<string>;
  /** Resolves when the supervisor has stopped the server and ended, or was killed. */
  stop(): Promise<void>;
}

/** Starts a server under a supervisor and waits until it takes connections. */
export async function startSupervised(
  order: SupervisionOrder,
  log: (line: string) => void,
): Promise<SupervisedServer> {
  const supervisor = fork(supervisorProgram(), [JSON.stringify(order)], {
    // A session of its own: the terminal's Ctrl-C goes to ours.
    detached: true,
    env: SERVER_ENVIRONMENT,
    // Not our own flags, such as --inspect.
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const lines = followLog(supervisor, log);
  const progress = followReports(supervisor);
  let stopping = false;

  const stop = async () => {
    stopping = true;
    supervisor.ref();
    if (supervisor.connected) supervisor.disconnect();
    if (!progress.over) await once(supervisor, 'exit');
  };

  const deadline = performance.now() + START_PATIENCE_MS;
  for (;;) {
    const file = await readPostmasterFile(order.cwd);
    if (file?.ready === true && file.pid === progress.postmaster) break;
    if (progress.over) {
      await pTimeout(progress.logRead, { milliseconds: LOG_PATIENCE_MS, message: false });
      throw new ServerDidNotStart(progress.ended ?? 'its supervisor was killed', lines.join('\n'));
    }
    if (performance.now() > deadline) {
      await stop();
      throw new ServerDidNotStart(`not ready after ${START_PATIENCE_MS / 1000} s`, lines.join('\n'));
    }
    await pause(LOOK_EVERY_MS);
  }

  const ended = Promise.withResolvers<string>();
  supervisor.once('exit', async () => {
    if (stopping) return;
    if (progress.ended === undefined) {
      // The server itself may go on, and is as good as before.
      log('The embedded Postgres is unattended: its supervisor was killed');
      return;
    }
    await pTimeout(progress.logRead, { milliseconds: LOG_PATIENCE_MS, message: false });
    ended.resolve(`${progress.ended}. Its log ends:\n${lines.join('\n')}`);
  });
  letGo(supervisor);
  return { ended: ended.promise, stop };
}

interface Progress {
  postmaster: number | undefined;
  ended: string | undefined;
  /** The supervisor has ended. */
  over: boolean;
  /** Resolves when, after the end, all of the log has been read. */
  readonly logRead: Promise<void>;
}

function followReports(supervisor: ChildProcess): Progress {
  const { promise, resolve } = Promise.withResolvers<void>();
  const progress: Progress = { postmaster: undefined, ended: undefined, over: false, logRead: promise };
  supervisor.on('message', (message) => {
    const report = message as SupervisionReport;
    if ('postmaster' in report) progress.postmaster = report.postmaster;
    else progress.ended = report.ended;
  });
  supervisor.once('exit', () => {
    progress.over = true;
  });
  supervisor.once('close', resolve);
  supervisor.once('error', (error) => {
    progress.over = true;
    progress.ended ??= error.message;
    resolve();
  });
  return progress;
}

/** A server must not keep its owner's process alive. */
function letGo(supervisor: ChildProcess): void {
  supervisor.unref();
  supervisor.channel?.unref();
  if (
    supervisor.stderr !== null &&
    'unref' in supervisor.stderr &&
    typeof supervisor.stderr.unref === 'function'
  ) {
    supervisor.stderr.unref();
  }
}

function followLog(supervisor: ChildProcess, log: (line: string) => void): string[] {
  const kept: string[] = [];
  if (supervisor.stderr === null) return kept;
  createInterface({ input: supervisor.stderr }).on('line', (line) => {
    kept.push(line);
    if (kept.length > LINES_KEPT) kept.shift();
    log(line);
  });
  return kept;
}

/** The program beside this file: source in the workspace, JavaScript in the published package. */
function supervisorProgram(): string {
  const here = fileURLToPath(import.meta.url);
  return fileURLToPath(new URL(`./supervisor${extname(here)}`, import.meta.url));
}
