import { type ConcurrencySearch, NO_SEARCH, searchMeasured } from '../worker/concurrency-search.ts';

/** A model server whose speed depends on how many items it runs. */
export interface SimulatedServer {
  /** Units a second of all items together, while `running` of them run. `item`: how many items have ended. */
  readonly rate: (running: number, item: number) => number;
  /** More items wait. @default all run */
  readonly slots?: number;
}

export interface SimulatedRun {
  /** The limit after each item. */
  readonly limits: readonly number[];
  /** Best rate and the achieved one, over the items from `from` on: 1 is the best. */
  efficiency(from: number, to?: number): number;
  readonly search: ConcurrencySearch;
}

export interface SimulatedItems {
  readonly count: number;
  readonly highest: number;
  /** Draws the work of an item. @default 1 */
  readonly units?: () => number;
  /** The search sees the units. @default true */
  readonly isCounted?: boolean;
  /** A limit that grows by one with each answer up to this one, as the lane's does. @default grows from 1 */
  readonly start?: number;
  /** The limit never changes. */
  readonly fixed?: number;
}

interface Running {
  left: number;
  readonly units: number;
  readonly startedAt: number;
}

/** Runs items on a server with the limit that the search finds. Items share the server's speed equally. */
export function runSimulated(server: SimulatedServer, items: SimulatedItems): SimulatedRun {
  const { count, highest, units = () => 1, isCounted = true, start = 1, fixed } = items;
  const running: Running[] = [];
  const limits: number[] = [];
  const ended: { at: number; units: number; best: number }[] = [];
  let search = NO_SEARCH;
  let grown = start;
  let now = 0;
  const limitNow = () => fixed ?? Math.max(1, Math.min(grown, highest, search.bound ?? highest));
  while (ended.length < count) {
    while (running.length < limitNow()) {
      const work = units();
      running.push({ left: work, units: work, startedAt: now });
    }
    const active = running.slice(0, server.slots ?? running.length);
    const each = server.rate(active.length, ended.length) / active.length;
    const next = active.reduce((first, one) => (one.left < first.left ? one : first));
    const seconds = next.left / each;
    now += seconds;
    for (const one of active) one.left -= seconds * each;
    const limit = limitNow();
    const isFull = running.length >= limit;
    running.splice(running.indexOf(next), 1);
    grown = Math.min(grown + 1, highest);
    const ms = (now - next.startedAt) * 1000;
    search = searchMeasured(search, { units: isCounted ? next.units : 1, ms, isFull, limit, highest });
    limits.push(limitNow());
    const best = Math.max(
      ...Array.from({ length: highest }, (_, n) =>
        server.rate(Math.min(n + 1, server.slots ?? n + 1), ended.length),
      ),
    );
    ended.push({ at: now, units: next.units, best });
  }
  return {
    limits,
    search,
    efficiency(from, to = count) {
      const part = ended.slice(from, to);
      const work = part.reduce((sum, one) => sum + one.units, 0);
      const ideal = part.reduce((sum, one) => sum + one.units / one.best, 0);
      const took = (part.at(-1)?.at ?? 0) - (ended[from - 1]?.at ?? 0);
      return work === 0 ? 0 : ideal / took;
    },
  };
}
