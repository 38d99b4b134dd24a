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

/** Recovery after a crash can take minutes. */
const START_TIMEOUT_MS = 180_000;
const POLL_MS = 10;
const LOG_TIMEOUT_MS = 1000;
const MAX_LOG_LINES = 20;

/** The server ended before it accepted connections. */
export class ServerDidNotStart extends Error {
  override readonly name = 'ServerDidNotStart';
  /** The last lines of the server's log. */
  readonly log: string;

  constructor(how: string, log: string) {
    super(how);
    this.log = log;
  }
}

/** A running server and its supervisor. */
export interface SupervisedServer {
  /** Resolves with the reason and the last log lines if the server ends without `stop`. */
  readonly ended: Promise<string>;
  /** Stops the server. Resolves when the supervisor has ended. */
  stop(): Promise<void>;
}

/** Starts a server under a supervisor. Resolves when the server accepts connections. */
export async function startSupervised(
  order: SupervisionOrder,
  log: (line: string) => void,
): Promise<SupervisedServer> {
  const supervisor = fork(supervisorProgram(), [JSON.stringify(order)], {
    // In its own session, so that Ctrl-C does not reach it.
    detached: true,
    env: SERVER_ENVIRONMENT,
    // Without the flags of this process, such as --inspect.
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

  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const file = await readPostmasterFile(order.cwd);
    if (file?.ready === true && file.pid === progress.postmaster) break;
    if (progress.over) {
      await pTimeout(progress.logRead, { milliseconds: LOG_TIMEOUT_MS, message: false });
      throw new ServerDidNotStart(progress.ended ?? 'its supervisor was killed', lines.join('\n'));
    }
    if (performance.now() > deadline) {
      await stop();
      throw new ServerDidNotStart(`not ready after ${START_TIMEOUT_MS / 1000} s`, lines.join('\n'));
    }
    await pause(POLL_MS);
  }

  const ended = Promise.withResolvers<string>();
  supervisor.once('exit', async () => {
    if (stopping) return;
    if (progress.ended === undefined) {
      // The server itself may still run.
      log('The embedded Postgres is unattended: its supervisor was killed');
      return;
    }
    await pTimeout(progress.logRead, { milliseconds: LOG_TIMEOUT_MS, message: false });
    ended.resolve(`${progress.ended}. Its log ends:\n${lines.join('\n')}`);
  });
  unrefSupervisor(supervisor);
  return { ended: ended.promise, stop };
}

interface Progress {
  postmaster: number | undefined;
  ended: string | undefined;
  /** Whether the supervisor has ended. */
  over: boolean;
  /** Resolves after the end, when the whole log has been read. */
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

/** Keeps the supervisor from keeping this process alive. */
function unrefSupervisor(supervisor: ChildProcess): void {
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
  const lines: string[] = [];
  if (supervisor.stderr === null) return lines;
  createInterface({ input: supervisor.stderr }).on('line', (line) => {
    lines.push(line);
    if (lines.length > MAX_LOG_LINES) lines.shift();
    log(line);
  });
  return lines;
}

/** Returns the path of the supervisor's program: TypeScript in the workspace, JavaScript in the published package. */
function supervisorProgram(): string {
  const thisFile = fileURLToPath(import.meta.url);
  return fileURLToPath(new URL(`./supervisor${extname(thisFile)}`, import.meta.url));
}
