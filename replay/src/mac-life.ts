import { sleep } from '@macbatch/agent';
import type { Machine } from './machine.ts';
import type { Interval, MacTrace } from './trace.ts';

/** What has to be done at a moment of a Mac's life. */
interface Turn {
  readonly at: number;
  readonly what: 'on' | 'off';
}

/** When a Mac goes on and off, in seconds after the first submission. Those before it go on at once. */
export function turns({ asleep, diesAt }: MacTrace): Turn[] {
  const end = diesAt ?? Number.POSITIVE_INFINITY;
  const all: Turn[] = asleep.flatMap(([from, until]): Turn[] => [
    { at: from, what: 'off' },
    { at: until, what: 'on' },
  ]);
  const awakeAtFirst: Turn[] = asleep[0]?.[0] === 0 ? [] : [{ at: Number.NEGATIVE_INFINITY, what: 'on' }];
  const death: Turn[] = diesAt === null ? [] : [{ at: end, what: 'off' }];
  return [...awakeAtFirst, ...all.filter(({ at }) => at < end), ...death];
}

/** Seconds by the process's clock, from the first submission on; negative before it. */
export type RunClock = () => number;

/** Leads a Mac through its life until `over` aborts; then it is off. */
export async function live(
  machine: Machine,
  trace: MacTrace,
  clock: RunClock,
  over: AbortSignal,
): Promise<void> {
  for (const { at, what } of turns(trace)) {
    await until(at, clock, over);
    if (over.aborted) break;
    if (what === 'on') await machine.on();
    else await machine.off();
  }
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
  await machine.off();
}

/** Takes a network away and gives it back until `over` aborts. */
export async function loseNetwork(
  network: { cut(): void; restore(): void },
  offline: readonly Interval[],
  clock: RunClock,
  over: AbortSignal,
): Promise<void> {
  for (const [from, ends] of offline) {
    await until(from, clock, over);
    if (over.aborted) return;
    network.cut();
    await until(ends, clock, over);
    network.restore();
  }
}

/** Longest that one look waits: the clock may not have begun yet. */
const LOOK_SECONDS = 5;

async function until(at: number, clock: RunClock, over: AbortSignal): Promise<void> {
  for (let left = at - clock(); left > 0 && !over.aborted; left = at - clock()) {
    await sleep(Math.min(left, LOOK_SECONDS) * 1000, over).catch(() => undefined);
  }
}
