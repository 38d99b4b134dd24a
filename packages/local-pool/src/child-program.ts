import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const Manifest = z.object({ bin: z.record(z.string(), z.string()) });

/** A program of another package that this one runs as a process of its own. */
export interface ChildProgram {
  readonly name: string;
  readonly pid: number | undefined;
  readonly logPath: string;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
  /** Resolves with the first message of this event that it sends to its parent. */
  message(event: string): Promise<Readonly<Record<string, unknown>>>;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts a package's program with the environment given, its output appended to a log file. It is out of
 * the terminal's process group, so that Ctrl-C reaches it only through us, in the order we choose; should
 * we be killed, it sees its channel close and stops by itself.
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
    message: (event) => messageOf(child, event),
    signal: (signal) => child.kill(signal),
  };
}

async function exitOf(child: ChildProcess): Promise<number | string> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 'unknown';
}

function messageOf(child: ChildProcess, event: string): Promise<Readonly<Record<string, unknown>>> {
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
      reject(new Error(`it ended with ${code ?? signal} before it was ready`)),
    );
    child.once('error', reject);
  });
}

/** The file of a package's program, as its manifest names it. */
function programPath(packageName: string): string {
  const require = createRequire(import.meta.url);
  const manifestPath = require.resolve(`${packageName}/package.json`);
  const bin = Object.values(Manifest.parse(require(manifestPath)).bin)[0];
  if (bin === undefined) throw new Error(`${packageName} has no program`);
  return join(dirname(manifestPath), bin);
}

/**
 * Runs a package's program in the foreground: it writes to our own outputs, and each Ctrl-C is passed on.
 * Resolves with its exit code, or the signal that ended it.
 */
export async function runInPlace(
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
  const pass = () => child.kill('SIGTERM');
  signals.interrupted.addEventListener('abort', pass);
  signals.forceQuit.addEventListener('abort', pass);
  if (signals.interrupted.aborted) pass();
  return exitOf(child);
}
