/**
 * Exit codes. 1: it ran, but not every item has a good outcome, or something that was looked at is wrong. 2: the call or its input is wrong.
 * 3: the control plane does not answer or has refused. 130: interrupted.
 */
export const EXIT = { ok: 0, incomplete: 1, usage: 2, unavailable: 3, interrupted: 130 } as const;

/** Ends the program with a message for the person who called it. */
export class Failure extends Error {
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
