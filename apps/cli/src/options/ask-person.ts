import { createInterface } from 'node:readline/promises';
import type { Terminal } from '@macbatch/terminal';

/** Asks a person a question that is answered with yes or no. Returns null if there is nobody to ask. */
export async function askPerson(
  question: string,
  { stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>,
  signal: AbortSignal,
): Promise<boolean | null> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) return null;
  // Without raw mode, so that Ctrl-C stays a signal.
  const lines = createInterface({ input: stdin, output: stderr, terminal: false });
  try {
    return /^\s*y(es)?\s*$/i.test(await lines.question(`${question} [y/N] `, { signal }));
  } finally {
    lines.close();
  }
}
