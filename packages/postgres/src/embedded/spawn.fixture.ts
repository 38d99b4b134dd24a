import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A child process of a test. */
export interface TestProgram {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resolves with the next line of its output. */
  line(): Promise<string>;
  /** Sends SIGKILL and waits until the process has ended. */
  sigkill(): Promise<void>;
  ended(): Promise<void>;
}

/** Runs `./<name>.fixture.ts` in its own process group, as a shell does. */
export function runProgram(name: string, ...args: string[]): TestProgram {
  const program = fileURLToPath(new URL(`./${name}.fixture.ts`, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { pid, stdout } = child;
  if (pid === undefined) throw new Error(`${program} cannot be run`);
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit').then(() => undefined);
  return {
    pid,
    child,
    line: async () => String((await lines.next()).value),
    ended: () => ended,
    sigkill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
