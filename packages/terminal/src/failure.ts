/** Exit codes of the command line. */
export const EXIT = {
  ok: 0,
  /** The command ran, but an item has no ok outcome or a check failed. */
  incomplete: 1,
  /** The arguments or the input are wrong. */
  usage: 2,
  /** The control plane does not answer or failed, or the disk is full. */
  unavailable: 3,
  interrupted: 130,
} as const;

/** Ends the program with an exit code and a message for the user. */
export class Failure extends Error {
  readonly exitCode: number;
  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
