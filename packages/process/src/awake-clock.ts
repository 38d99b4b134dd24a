/** How often the clock looks at itself. */
const TICK_MS = 1000;

export interface AwakeClock extends Disposable {
  /** Milliseconds that this process's host was awake since the clock was made. */
  readonly now: () => number;
}

/**
 * A clock that stands still while the host sleeps, whatever the system's monotonic clock does then: on macOS
 * it goes on. It counts the time between ticks of a timer, and no more than two ticks where one is late.
 */
export function awakeClock(monotonicMs: () => number = () => performance.now()): AwakeClock {
  let awake = 0;
  let last = monotonicMs();
  const now = () => {
    const read = monotonicMs();
    awake += Math.min(read - last, 2 * TICK_MS);
    last = read;
    return awake;
  };
  const timer = setInterval(now, TICK_MS);
  timer.unref();
  return { now, [Symbol.dispose]: () => clearInterval(timer) };
}
