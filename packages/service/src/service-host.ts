import { execFile, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';

/** How a command ended. */
export interface Ran {
  /** The exit code, or 127 if the program does not exist. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The part of this machine that a service manager needs. Tests play it. */
export interface ServiceHost {
  readonly userId: number;
  /** Runs a program of the system in the C locale. Resolves also when it fails. */
  run(file: string, args: readonly string[], cwd?: string): Promise<Ran>;
  /** Runs a program whose output the user sees. Resolves with its exit code. */
  show(file: string, args: readonly string[], cwd?: string): Promise<number>;
  sleep(ms: number): Promise<void>;
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

/** Longest time of a command. launchctl waits for a service that ends. */
const TIMEOUT_MS = 60_000;
const NOT_FOUND = 127;
const FAILED = 1;

/** Returns this machine. */
export function thisHost(env: Readonly<Record<string, string | undefined>>, userId: number): ServiceHost {
  return {
    userId,
    run: (file, args, cwd) =>
      new Promise((resolve) => {
        const options = {
          env: { ...env, LC_ALL: 'C' },
          timeout: TIMEOUT_MS,
          // A session of launchd is described in up to a megabyte.
          maxBuffer: 64 * 1024 * 1024,
          ...(cwd === undefined ? {} : { cwd }),
        };
        execFile(file, args, options, (error, stdout, stderr) => {
          const code: unknown = error === null ? 0 : error.code;
          resolve({
            code: typeof code === 'number' ? code : code === 'ENOENT' ? NOT_FOUND : FAILED,
            stdout,
            stderr: error === null || stderr !== '' ? stderr : error.message,
          });
        });
      }),
    show: (file, args, cwd) =>
      new Promise((resolve) => {
        const child = spawn(file, args, {
          env: { ...env },
          // The output of the command line itself is for results.
          stdio: ['ignore', 2, 2],
          ...(cwd === undefined ? {} : { cwd }),
        });
        child.once('error', () => resolve(NOT_FOUND));
        child.once('close', (code) => resolve(code ?? FAILED));
      }),
    sleep: (ms) => setTimeout(ms),
    now: () => performance.now(),
  };
}
