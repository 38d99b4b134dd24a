import type { MacTrace } from './trace.ts';

/** Returns the seconds that a Mac is awake in the first `span` seconds. */
export function awakeSeconds({ asleep, diesAt }: MacTrace, span: number): number {
  const end = Math.min(span, diesAt ?? span);
  return asleep.reduce(
    (awake, [from, until]) => awake - Math.max(0, Math.min(until, end) - Math.min(from, end)),
    end,
  );
}
