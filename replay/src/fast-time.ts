/** How the clocks of a run go: `factor` times as fast as real ones, from a moment on at which they agree. */
export interface FastTime {
  readonly factor: number;
  /** In real milliseconds since 1970. */
  readonly epochMs: number;
}

const CLOCK = new URL('fast-clock.ts', import.meta.url).href;

/** How a process is forked so that all its clocks go like this. */
export function fastProcess({ factor, epochMs }: FastTime) {
  return {
    execArgv: ['--import', CLOCK],
    env: { ...process.env, REPLAY_FACTOR: String(factor), REPLAY_EPOCH_MS: String(epochMs) },
  };
}
