import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { programPath } from './program-path.ts';

/** A child process that runs the program of another package. */
export interface ChildProgram {
  readonly name: string;
  readonly pid: number | undefined;
  readonly logPath: string;
  /** Resolves with the exit code, or with the signal that ended the process. */
  readonly exited: Promise<number | string>;
  /** Resolves with the first message of this event. Rejects if the process fails or ends first. */
  message(event: string): Promise<Readonly<Record<string, unknown>>>;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts the program of a package, and appends its output to a log file. The program is in its own process group, so
 * Ctrl-C does not reach it: the caller stops programs in the right order. If the caller is killed, the channel closes
 * and the program stops by itself.
 */
export function startProgram(
  packageName: string,
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  logPath: string,
): ChildProgram {
  const log = openSync(logPath, 'a', 0o600);
  const child = spawn(process.execPath, [programPath(packageName)], {
    env: { ...env },
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
  });
  closeSync(log);
  return {
    name,
    pid: child.pid,
    logPath,
    exited: exitOf(child),
    message: (event) => firstMessage(child, event),
    signal: (signal) => child.kill(signal),
  };
}

async function exitOf(child: ChildProcess): Promise<number | string> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 'unknown';
}

function firstMessage(child: ChildProcess, event: string): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (typeof message === 'object' && Reflect.get(message, 'event') === event) {
        resolve(message as Readonly<Record<string, unknown>>);
      }
      if (typeof message === 'object' && Reflect.get(message, 'event') === 'program.failed') {
        reject(new Error(String(Reflect.get(message, 'error'))));
      }
    });
    child.once('exit', (code, signal) =>
      reject(new Error(`the process ended with ${code ?? signal} before it was ready`)),
    );
    child.once('error', reject);
  });
}

/**
 * Runs the program of a package in the foreground: shares the outputs of this process, and passes on each Ctrl-C.
 * Resolves with the exit code, or with the signal that ended the program.
 */
export async function runInForeground(
  packageName: string,
  env: Readonly<Record<string, string | undefined>>,
  signals: { readonly interrupted: AbortSignal; readonly forceQuit: AbortSignal },
  args: readonly string[] = [],
): Promise<number | string> {
  const child = spawn(process.execPath, [programPath(packageName), ...args], {
    env: { ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  const terminate = () => child.kill('SIGTERM');
  signals.interrupted.addEventListener('abort', terminate);
  signals.forceQuit.addEventListener('abort', terminate);
  if (signals.interrupted.aborted) terminate();
  return exitOf(child);
}

/** Runs the program of a package and returns its output. Rejects if it fails. */
export async function programOutput(
  packageName: string,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [programPath(packageName), ...args], {
    env: { ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}
