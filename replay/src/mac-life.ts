import { sleep } from '@macbatch/agent';
import type { Machine } from './machine.ts';
import type { Interval, MacTrace } from './trace.ts';

/** A change of a Mac's power at a time. */
interface PowerChange {
  readonly at: number;
  readonly what: 'on' | 'off';
}

/** Lists when a Mac switches on and off, in seconds after the first submission. Minus infinity means from the start. */
export function powerChanges({ asleep, diesAt }: MacTrace): PowerChange[] {
  const end = diesAt ?? Number.POSITIVE_INFINITY;
  const all: PowerChange[] = asleep.flatMap(([from, until]): PowerChange[] => [
    { at: from, what: 'off' },
    { at: until, what: 'on' },
  ]);
  const awakeAtFirst: PowerChange[] =
    asleep[0]?.[0] === 0 ? [] : [{ at: Number.NEGATIVE_INFINITY, what: 'on' }];
  const death: PowerChange[] = diesAt === null ? [] : [{ at: end, what: 'off' }];
  return [...awakeAtFirst, ...all.filter(({ at }) => at < end), ...death];
}

/** Returns the seconds since the first submission, by the clock of the process. Negative before it. */
export type RunClock = () => number;

/** Switches a Mac on and off according to its trace until `over` aborts. Then switches it off. */
export async function playPower(
  machine: Machine,
  trace: MacTrace,
  clock: RunClock,
  over: AbortSignal,
): Promise<void> {
  for (const { at, what } of powerChanges(trace)) {
    await waitUntil(at, clock, over);
    if (over.aborted) break;
    if (what === 'on') await machine.on();
    else await machine.off();
  }
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
  await machine.off();
}

/** Cuts and restores a network according to a trace until `over` aborts. */
export async function playOutages(
  network: { cut(): void; restore(): void },
  offline: readonly Interval[],
  clock: RunClock,
  over: AbortSignal,
): Promise<void> {
  for (const [from, ends] of offline) {
    await waitUntil(from, clock, over);
    if (over.aborted) return;
    network.cut();
    await waitUntil(ends, clock, over);
    network.restore();
  }
}

/** Longest single wait, because the clock may not have started yet. */
const MAX_WAIT_SECONDS = 5;

async function waitUntil(at: number, clock: RunClock, over: AbortSignal): Promise<void> {
  for (let left = at - clock(); left > 0 && !over.aborted; left = at - clock()) {
    await sleep(Math.min(left, MAX_WAIT_SECONDS) * 1000, over).catch(() => undefined);
  }
}
