import fc from 'fast-check';
import type { ItemEnd } from '../worker/item-end.ts';
import {
  answered,
  failing,
  refusing,
  type SimulatedCall,
  type SimulatedServer,
  type SimulatedTime,
} from './simulated-pool.ts';

/** The time limit of one item. */
const LIMIT_MS = 10_000;
/** How long an item takes that hangs, if its server goes on with it. */
const HANG_MS = 25_000;
const RETRY_AFTER_MS = 5000;

/** What a server may do to a request, and what the runtime makes of it. */
const MISBEHAVIOURS = {
  'answers 400': () => failing('rejected', 'invalid_request'),
  'answers 403': () => refusing('forbidden', 'runtime'),
  'quotes the prompt': () => refusing('out_of_memory', 'model'),
  'answers 503': () => failing('wait', 'server_busy'),
  'limits the rate': () => failing('wait', 'rate_limited', { retryAfterMs: RETRY_AFTER_MS }),
  'refuses connections': () => failing('wait', 'server_unreachable'),
  'answers 500': () => failing('transient', 'server_error'),
  'sends odd JSON': () => failing('transient', 'empty_response'),
  cuts: () => failing('interrupted', 'request_failed'),
  'cuts in the middle': () => failing('interrupted', 'request_failed', { bytesArrived: true }),
  hangs: () => failing('timeout', 'timeout'),
  drips: () => failing('timeout', 'timeout', { bytesArrived: true }),
} satisfies Record<string, () => ItemEnd>;
export type Misbehaviour = keyof typeof MISBEHAVIOURS;

/** One draw of a server's behaviour, and of the items that it gets. */
export interface Hostility {
  readonly goodItems: number;
  /** One item for each: the server does this to it each time. */
  readonly faults: readonly Misbehaviour[];
  /** Where the first of these items is. The others are spread over the items after it. */
  readonly firstFault: number;
  /** What the server does to every request for `troubleMs`, after it has had `troubleAfter` requests. */
  readonly trouble: Misbehaviour | null;
  readonly troubleAfter: number;
  readonly troubleMs: number;
  readonly delayMs: number;
  /** Requests that it runs concurrently, and what it does with more. */
  readonly slots: number;
  readonly overload: 'queues' | 'answers 503' | 'limits the rate' | 'aborts all';
  /** It goes on with a request after its client has gone. */
  readonly lingers: boolean;
  readonly shardSize: number;
  readonly workerSlots: number;
  /** Another worker is there, whose server rejects every item. */
  readonly besideBroken: boolean;
}

/** Longest time for which a server that has answered nobody may reject every item: then it is believed. */
const MAX_REJECTING_MS = 20_000;

/** Draws servers that in the end answer every good item. */
export const hostilities: fc.Arbitrary<Hostility> = fc
  .record({
    goodItems: fc.integer({ min: 4, max: 14 }),
    faults: fc.array(
      fc.constantFrom<Misbehaviour>(
        'answers 400',
        'answers 403',
        'quotes the prompt',
        'answers 500',
        'sends odd JSON',
        'cuts',
        'cuts in the middle',
        'hangs',
        'drips',
      ),
      { maxLength: 3 },
    ),
    firstFault: fc.nat({ max: 16 }),
    trouble: fc.option(
      fc.constantFrom<Misbehaviour>(
        'answers 400',
        'answers 503',
        'limits the rate',
        'refuses connections',
        'answers 500',
        'sends odd JSON',
        'cuts',
        'cuts in the middle',
        'hangs',
      ),
      { freq: 3 },
    ),
    troubleAfter: fc.integer({ min: 0, max: 8 }),
    troubleMs: fc.integer({ min: 100, max: 120_000 }),
    delayMs: fc.integer({ min: 1, max: 1500 }),
    slots: fc.integer({ min: 1, max: 6 }),
    overload: fc.constantFrom('queues', 'answers 503', 'limits the rate', 'aborts all'),
    lingers: fc.boolean(),
    shardSize: fc.integer({ min: 1, max: 20 }),
    workerSlots: fc.integer({ min: 1, max: 6 }),
    besideBroken: fc.boolean(),
  })
  .map((draw) =>
    // A server that has answered an item is believed immediately, and so are two workers that reject the same item.
    draw.trouble === 'answers 400'
      ? {
          ...draw,
          troubleAfter: 0,
          troubleMs: Math.min(draw.troubleMs, MAX_REJECTING_MS),
          besideBroken: false,
        }
      : draw,
  );

/** What the server does to each item that it never answers. */
export function faultsOf(
  { faults, firstFault }: Pick<Hostility, 'faults' | 'firstFault'>,
  ids: readonly string[],
): ReadonlyMap<string | undefined, Misbehaviour> {
  const step = Math.max(1, Math.floor(ids.length / (faults.length + 1)));
  return new Map(faults.map((fault, n) => [ids[(firstFault + n * step) % ids.length], fault]));
}

/** A server that behaves as drawn. `faultOf` names what it does to an item each time. */
export function hostileServer(
  time: SimulatedTime,
  draw: Hostility,
  faultOf: (itemId: string) => Misbehaviour | undefined,
): SimulatedServer & { readonly innocentFailures: () => number } {
  let requests = 0;
  let troubleUntil: number | null = null;
  let innocentFailures = 0;
  const running = new Set<SimulatedCall>();
  const queue: (() => void)[] = [];

  function misbehave(how: Misbehaviour, { end }: SimulatedCall): void {
    const takesMs = how === 'hangs' || how === 'drips' ? LIMIT_MS : 1;
    time.after(takesMs, () => end(MISBEHAVIOURS[how]()));
  }

  function run(call: SimulatedCall, ms: number): void {
    let isGone = false;
    running.add(call);
    const free = () => {
      if (!running.delete(call)) return;
      queue.shift()?.();
    };
    const leftMs = call.at + LIMIT_MS - time.now;
    if (leftMs <= 0 && !draw.lingers) {
      free();
      return;
    }
    time.after(leftMs, () => {
      isGone = true;
      call.end(failing('timeout', 'timeout'));
      if (!draw.lingers) free();
    });
    time.after(ms, () => {
      if (!isGone && running.has(call)) call.end(answered(call.itemId));
      free();
    });
  }

  function admit(call: SimulatedCall, ms: number): void {
    if (running.size < draw.slots) {
      run(call, ms);
      return;
    }
    switch (draw.overload) {
      case 'queues':
        queue.push(() => run(call, ms));
        time.after(LIMIT_MS, () => call.end(failing('timeout', 'timeout')));
        break;
      case 'answers 503':
      case 'limits the rate':
        misbehave(draw.overload, call);
        break;
      case 'aborts all':
        for (const each of [...running, call]) each.end(failing('overload', 'context_length_exceeded'));
        running.clear();
        break;
    }
  }

  return {
    innocentFailures: () => innocentFailures,
    listsModels: () => draw.trouble !== 'refuses connections' || time.now >= (troubleUntil ?? 0),
    call(call) {
      const fault = faultOf(call.itemId);
      requests += 1;
      if (draw.trouble !== null && requests > draw.troubleAfter) troubleUntil ??= time.now + draw.troubleMs;
      if (draw.trouble !== null && troubleUntil !== null && time.now < troubleUntil) {
        if (fault === undefined) innocentFailures += 1;
        misbehave(draw.trouble, call);
        return;
      }
      if (fault === 'hangs') admit(call, HANG_MS);
      else if (fault === undefined) admit(call, draw.delayMs);
      else misbehave(fault, call);
    },
  };
}

/** A server that rejects every item. */
export function rejectingServer(time: SimulatedTime): SimulatedServer {
  return { call: ({ end }) => time.after(1, () => end(MISBEHAVIOURS['answers 400']())) };
}
