import type { Writable } from 'node:stream';
import type { Log } from '@macbatch/process';

/** What a command may touch of the world; `main.ts` makes it. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream;
  /** Results for people or, with --json, for programs. */
  readonly stdout: Writable;
  /** Progress and remarks. */
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts at Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Aborts at a second Ctrl-C. */
  readonly forceQuit: AbortSignal;
  readonly now: () => number;
  readonly log?: Log;
}

/** Writes a line for people. */
export function say(out: Writable, line = ''): void {
  out.write(`${line}\n`);
}

/** Writes a value for programs: one line of JSON. */
export function sayJson(out: Writable, value: unknown): void {
  out.write(`${JSON.stringify(value)}\n`);
}
