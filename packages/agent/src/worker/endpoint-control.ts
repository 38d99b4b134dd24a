import type { Closing, Gate } from './gate.ts';
import { closeGate, isShut, openedBy } from './gate.ts';
import { abandonedCount, type Lane, laneAnswered, laneLimit, newLane } from './lane.ts';
import type { Pauses } from './pauses.ts';
import {
  limitAnswered,
  limitIdle,
  limitRefused,
  limitStarted,
  NO_LIMIT,
  type RateLimit,
} from './rate-limit.ts';

/** What decides how many items may start on one runtime: one controller per endpoint, with a lane per model. */
export interface EndpointControl {
  /** For a server, the limit starts at one and grows; a model in this process starts at the worker's slots. */
  readonly remote: boolean;
  readonly slots: number;
  /** Trouble of the whole runtime: unreachable, rate limit. */
  readonly gate: Gate | null;
  readonly rateLimit: RateLimit;
  /** One for each model that has run. */
  readonly lanes: readonly Lane[];
}

/** The part of a run that its endpoint is concerned with. */
export interface EndpointRun {
  readonly number: number;
  readonly model: string;
  readonly startedAt: number;
  /** No other item may run on the runtime at the same time. */
  readonly exclusive: boolean;
}

export function newControl(remote: boolean, slots: number): EndpointControl {
  return { remote, slots, gate: null, rateLimit: NO_LIMIT, lanes: [] };
}

/** The lane of a model. */
export function laneOf({ lanes, remote, slots }: EndpointControl, model: string): Lane {
  const known = lanes.find((lane) => lane.model === model);
  return known ?? newLane(model, remote ? 1 : slots, remote);
}

/** Replaces the lane of a model. */
export function withLane(control: EndpointControl, lane: Lane): EndpointControl {
  return { ...control, lanes: [...control.lanes.filter(({ model }) => model !== lane.model), lane] };
}

/** How many more items of a model may start now. `runs`: all requests under way on the runtime. */
export function roomFor(
  control: EndpointControl,
  model: string,
  runs: readonly EndpointRun[],
  now: number,
): number {
  const { gate, rateLimit } = control;
  const lane = laneOf(control, model);
  if (isShut(gate, now) || isShut(lane.gate, now)) return 0;
  if (runs.some(({ exclusive }) => exclusive)) return 0;
  if (gate !== null) return runs.length === 0 ? 1 : 0;
  const running = runs.filter((run) => run.model === model).length;
  if (lane.gate !== null) return running === 0 ? 1 : 0;
  const room = Math.max(0, laneLimit(lane) - abandonedCount(lane, now) - running);
  if (rateLimit.intervalMs === null) return room;
  return now < rateLimit.nextAt ? 0 : Math.min(room, 1);
}

/** When the number of items that may start may change without an event; null if only an event can change it. */
export function roomChangesAt(control: EndpointControl, model: string, now: number): number | null {
  const { gate, rateLimit } = control;
  const lane = laneOf(control, model);
  const times = [
    ...(gate === null ? [] : [gate.until]),
    ...(lane.gate === null ? [] : [lane.gate.until]),
    ...(rateLimit.intervalMs === null ? [] : [rateLimit.nextAt]),
    ...lane.abandoned.map(({ until }) => until),
  ].filter((at) => at > now);
  return times.length === 0 ? null : Math.min(...times);
}

/** Counts an item that starts. */
export function controlStarted(control: EndpointControl, now: number): EndpointControl {
  return { ...control, rateLimit: limitStarted(control.rateLimit, now) };
}

/** Notes that the last request on the endpoint has ended, in any way. */
export function controlIdle(control: EndpointControl, now: number): EndpointControl {
  return { ...control, rateLimit: limitIdle(control.rateLimit, now) };
}

/** Counts an output: the trouble is over, and the limit may grow. */
export function controlAnswered(
  control: EndpointControl,
  run: EndpointRun & { readonly units: number },
  running: number,
  now: number,
): EndpointControl {
  const lane = laneAnswered(laneOf(control, run.model), run, running, control.slots, now);
  return {
    ...withLane(control, lane),
    gate: openedBy(control.gate, run.startedAt),
    rateLimit: limitAnswered(control.rateLimit, run.startedAt),
  };
}

/** Closes the whole runtime. */
export function controlClosed(
  control: EndpointControl,
  closing: Closing,
  pauses: Pauses,
  now: number,
): EndpointControl {
  const gate = closeGate(control.gate, closing, pauses, now);
  const refused = closing.error.code === 'rate_limited' && gate.closedAt === now && gate !== control.gate;
  return {
    ...control,
    gate,
    rateLimit: refused
      ? limitRefused(control.rateLimit, gate.until, now, Math.max(gate.until - now, pauses.maxRateLimitMs))
      : control.rateLimit,
  };
}

/** Closes one model of a runtime. After a pause it starts with one item again. */
export function controlModelClosed(
  control: EndpointControl,
  model: string,
  closing: Closing,
  pauses: Pauses,
  now: number,
): EndpointControl {
  const lane = laneOf(control, model);
  return withLane(control, {
    ...lane,
    limit: control.remote ? 1 : lane.limit,
    gate: closeGate(lane.gate, closing, pauses, now),
  });
}
