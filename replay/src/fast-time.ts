/** The clocks of a run: `factor` times as fast as real ones, and equal to them at `epochMs`. */
export interface FastTime {
  readonly factor: number;
  /** Real milliseconds since 1970. */
  readonly epochMs: number;
}

const CLOCK = new URL('fast-clock.ts', import.meta.url).href;

/** Returns options for `fork` that make the clocks of a process fast. */
export function fastProcessOptions({ factor, epochMs }: FastTime) {
  return {
    execArgv: ['--import', CLOCK],
    env: { ...process.env, REPLAY_FACTOR: String(factor), REPLAY_EPOCH_MS: String(epochMs) },
  };
}
