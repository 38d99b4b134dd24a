import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type OnEnd, until } from '@macbatch/testing';
import { inject, onTestFinished } from 'vitest';
import { WORKSPACE } from './workspace.ts';

/** The files of the bundled programs. */
const BUNDLED = { cli: 'main', control: 'control', worker: 'worker' } as const;

export interface Ended {
  /** The exit code, or the signal that ended the process. */
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of one of our programs. */
export interface Program {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  /** Waits for the first output line with this event. */
  event(name: string): Promise<Readonly<Record<string, unknown>>>;
  /** Closes the pipe of its standard output. */
  closeStdout(): void;
  /** Sends a signal to the process but not to its children. */
  kill(signal: NodeJS.Signals): void;
  /** Sends a signal to the process group, as a terminal does on Ctrl-C. */
  killGroup(signal: NodeJS.Signals): void;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the program. The program's path and arguments are appended to it. */
  readonly launcher?: readonly string[];
  /** Starts the program. Its arguments are appended. @default the bundled program, with the Node of this process */
  readonly command?: readonly string[];
  /** Kills the program. @default when the test has finished */
  readonly onEnd?: OnEnd;
}

/** Returns the environment without variables that would change the program. */
function bareEnv(): Record<string, string | undefined> {
  const { NO_COLOR: _, ...env } = process.env;
  const bare = Object.entries(env).filter(
    ([name]) => !name.startsWith('MACBATCH_') && !name.startsWith('VITEST'),
  );
  // The machine’s own configuration file and model servers must not apply.
  return { ...Object.fromEntries(bare), MACBATCH_CONFIG: '/dev/null', MACBATCH_DISCOVER: '0' };
}

/** Starts a program of `apps/`. It is killed when the test has finished, or when `onEnd` says. */
export function start(
  app: 'cli' | 'control' | 'worker',
  args: readonly string[],
  options: ProgramOptions = {},
): Program {
  const command = options.command ?? [
    process.execPath,
    join(inject('programsFolder'), 'dist', `${BUNDLED[app]}.js`),
  ];
  const [program = '', ...rest] = [...(options.launcher ?? []), ...command, ...args];
  const child = spawn(program, rest, {
    cwd: options.cwd ?? WORKSPACE,
    // Without the cache, each process takes 50 % longer to start.
    env: { ...bareEnv(), NODE_COMPILE_CACHE: join(WORKSPACE, 'node_modules/.cache/compile'), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${app} cannot be started`);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = endOf(child).then((exit) => ({ exit, ...output }));
  (options.onEnd ?? onTestFinished)(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return {
    pid,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async event(name) {
      const find = () => jsonLines(output.stdout).find((line) => line['event'] === name);
      await until(() => find() !== undefined || child.exitCode !== null);
      const found = find();
      if (found === undefined)
        throw new Error(`${app} ended without the event: ${output.stdout}${output.stderr}`);
      return found;
    },
    closeStdout: () => child.stdout.destroy(),
    kill: (signal) => child.kill(signal),
    killGroup: (signal) => process.kill(-pid, signal),
  };
}

/** Runs the `macbatch` command line and waits until it exits. */
export function macbatch(args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  return start('cli', args, options).ended;
}

async function endOf(child: ChildProcess): Promise<number | string> {
  // Wait for 'close', not 'exit': at 'exit', output may still be unread.
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 'unknown';
}

/** Parses the complete lines of a text that are JSON objects. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/**
 * Lists processes with this text in their arguments or environment. Children inherit the environment, so this finds
 * processes that a program left behind.
 */
export function processesWith(text: string): string[] {
  // Ignore zombies: they have already ended.
  return execFileSync('ps', ['axeww', '-o', 'pid=,stat=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\n')
    .filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line))
    .map((line) => line.trim().slice(0, 120));
}
