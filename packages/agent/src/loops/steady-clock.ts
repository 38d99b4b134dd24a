/** How far the two clocks may drift apart before one of them has stepped, in milliseconds. */
const MAX_DRIFT_MS = 1000;

/** Two clocks of a machine, in milliseconds. */
export interface MachineClocks {
  /** The time of day. It steps when somebody sets it. */
  wallMs(): number;
  /** Never steps. On some systems it stands still while the machine sleeps. */
  monotonicMs(): number;
}

/**
 * Returns a clock that starts at the time of day and measures durations: it never goes back, and it includes the time
 * in which the machine sleeps. When the time of day is set back, the clock goes on. When it is set forward, the clock
 * follows, because that looks like a sleep.
 */
export function steadyClock({ wallMs, monotonicMs }: MachineClocks): () => number {
  let base = { value: wallMs(), wall: wallMs(), monotonic: monotonicMs() };
  return () => {
    const wall = wallMs();
    const monotonic = monotonicMs();
    const driftMs = wall - base.wall - (monotonic - base.monotonic);
    if (Math.abs(driftMs) > MAX_DRIFT_MS) {
      const passedMs = Math.max(wall - base.wall, monotonic - base.monotonic);
      base = { value: base.value + passedMs, wall, monotonic };
    }
    return base.value + (monotonic - base.monotonic);
  };
}
