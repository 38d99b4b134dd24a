/** Interval of the clock's timer. */
const TICK_MS = 1000;

export interface AwakeClock extends Disposable {
  /** Milliseconds that the host was awake since the clock was made. */
  readonly now: () => number;
}

/**
 * Makes a clock that stops while the host sleeps. The system's monotonic clock does not stop on macOS. This
 * clock counts the time between the ticks of a timer, and at most two ticks where one is late.
 */
export function awakeClock(monotonicMs: () => number = () => performance.now()): AwakeClock {
  let awakeMs = 0;
  let lastMs = monotonicMs();
  const now = () => {
    const readMs = monotonicMs();
    awakeMs += Math.min(readMs - lastMs, 2 * TICK_MS);
    lastMs = readMs;
    return awakeMs;
  };
  const timer = setInterval(now, TICK_MS);
  timer.unref();
  return { now, [Symbol.dispose]: () => clearInterval(timer) };
}
