import type { Writable } from 'node:stream';
import type { Log } from '@macbatch/process';

/** Everything outside the process that a command uses. `main.ts` creates it; tests create their own. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** For results: text, or JSON with --json. */
  readonly stdout: Writable;
  /** For progress and notes. */
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts at the first Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Aborts at the second Ctrl-C. */
  readonly forceQuit: AbortSignal;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly log?: Log;
}

/** Writes a line of text. */
export function printLine(out: Writable, line = ''): void {
  out.write(`${line}\n`);
}

/** Writes a value as one line of JSON. */
export function printJson(out: Writable, value: unknown): void {
  out.write(`${JSON.stringify(value)}\n`);
}
