import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { until } from '@macbatch/testing';
import { onTestFinished } from 'vitest';

export const WORKSPACE = resolve(import.meta.dirname, '../..');

export interface Ended {
  /** The exit code, or the signal that ended it. */
  readonly how: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real process, as a person or a service manager starts it. */
export interface Program {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  /** The first line of JSON on its standard output that is this event. */
  event(name: string): Promise<Readonly<Record<string, unknown>>>;
  /** Reads no more of its standard output. */
  closeStdout(): void;
  /** To the process alone. */
  kill(signal: NodeJS.Signals): void;
  /** To its process group, as a terminal does at Ctrl-C. */
  killGroup(signal: NodeJS.Signals): void;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A command that starts it, given as its last arguments. */
  readonly through?: readonly string[];
}

/** Our own variables would be taken for the program's. */
function bareEnv(): Record<string, string | undefined> {
  const { NO_COLOR: _, ...env } = process.env;
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('MACBATCH_') && !name.startsWith('VITEST')),
  );
}

/** Starts the source of a program of `apps/`; ended when the test has finished. */
export function start(
  app: 'cli' | 'control' | 'worker',
  args: readonly string[],
  options: ProgramOptions = {},
): Program {
  const command = [process.execPath, join(WORKSPACE, 'apps', app, 'src/main.ts'), ...args];
  const [program = '', ...rest] = [...(options.through ?? []), ...command];
  const child = spawn(program, rest, {
    cwd: options.cwd ?? WORKSPACE,
    // Reading the sources anew costs each process a third of its start.
    env: { ...bareEnv(), NODE_COMPILE_CACHE: join(WORKSPACE, 'node_modules/.cache/compile'), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${app} can't be started`);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = endOf(child).then((how) => ({ how, ...output }));
  onTestFinished(async () => {
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
      if (found === undefined) throw new Error(`${app} has ended: ${output.stdout}${output.stderr}`);
      return found;
    },
    closeStdout: () => child.stdout.destroy(),
    kill: (signal) => child.kill(signal),
    killGroup: (signal) => process.kill(-pid, signal),
  };
}

/** Runs the command line to its end. */
export function macbatch(args: readonly string[], options: ProgramOptions = {}): Promise<Ended> {
  return start('cli', args, options).ended;
}

async function endOf(child: ChildProcess): Promise<number | string> {
  // 'close' and not 'exit': by then all that it wrote has been read.
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 'unknown';
}

/** The whole lines of a text that are JSON objects. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/**
 * Processes that have this text in their arguments or in their environment, where children inherit it:
 * whatever a program has started and left behind.
 */
export function processesWith(text: string): string[] {
  // A zombie that waits for its parent has ended.
  return execFileSync('ps', ['axeww', '-o', 'pid=,stat=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\n')
    .filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line))
    .map((line) => line.trim().slice(0, 120));
}
