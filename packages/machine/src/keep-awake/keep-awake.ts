import { type ChildProcess, spawn } from 'node:child_process';

/** How long a Mac is kept awake after the last work: more may come. */
const LINGER_MS = 60_000;

/** What decides whether a Mac is kept awake. */
export interface AwakeReasons {
  readonly isWorking: boolean;
  /** Null: unknown, which does not keep it awake: a battery would run empty. */
  readonly isOnMains: boolean | null;
  readonly isPaused: boolean;
  /** When it last worked, in milliseconds; null if it never has. */
  readonly workedAt: number | null;
}

/** Whether a Mac is to be kept from idle sleep: while it works and for a minute after, on mains, within the rules. */
export function keepsAwake({ isWorking, isOnMains, isPaused, workedAt }: AwakeReasons, now: number): boolean {
  if (isPaused || isOnMains !== true) return false;
  return isWorking || (workedAt !== null && now - workedAt < LINGER_MS);
}

/**
 * Keeps a Mac from idle sleep by a `caffeinate` that ends with this process. A closed lid still lets it sleep, and the
 * display may sleep too.
 */
export class Caffeinate {
  readonly #program: string;
  #child: ChildProcess | null = null;

  constructor(program = '/usr/bin/caffeinate') {
    this.#program = program;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** Starts or ends it. Nothing happens if it is as wanted. */
  set(wanted: boolean): void {
    if (!wanted) {
      this.#child?.kill();
      this.#child = null;
      return;
    }
    if (this.#child !== null) return;
    const child = spawn(this.#program, ['-i', '-w', String(process.pid)], { stdio: 'ignore' });
    this.#child = child;
    child.unref();
    const gone = () => {
      if (this.#child === child) this.#child = null;
    };
    // Without it, the Mac may sleep: the leases survive that.
    child.once('error', gone);
    child.once('exit', gone);
  }
}
