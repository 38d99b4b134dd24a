import { Writable } from 'node:stream';
import { runProgram } from '../program.ts';

/** What a command line printed, and its exit code. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, without the configuration file and the model servers of this machine. */
export async function runInProcess(
  args: readonly string[],
  {
    cwd,
    env = {},
    interrupted = new AbortController().signal,
  }: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly interrupted?: AbortSignal;
  },
): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const capture = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        done();
      },
    });
  const code = await runProgram(['node', 'macbatch', ...args], {
    stdin: process.stdin,
    stdout: capture('stdout'),
    stderr: capture('stderr'),
    env: { HOME: cwd, MACBATCH_DISCOVER: '0', ...env },
    cwd,
    interrupted,
    forceQuit: new AbortController().signal,
    now: () => 0,
  });
  return { code, ...written };
}
