import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sleep } from '../loops/backoff.ts';
import { openAiEndpoint } from '../runtimes/endpoint/openai-endpoint.ts';
import { HostileHttpServer, LIMIT_MS } from '../testing/hostile-http-server.ts';
import { faultsOf, type Hostility, hostilities } from '../testing/hostile-server.ts';
import { MemoryControlPlane } from '../testing/memory-control-plane.ts';
import { startMemoryWorker } from '../testing/memory-worker.ts';
import { Standstills } from '../testing/standstills.ts';
import { PAUSES, type Pauses } from '../worker/pauses.ts';

/** CONTRIBUTING.md has the command for more. */
const SUITE_DRAWS = 200;
const DRAWS = Number(process.env['MACBATCH_HOSTILE_DRAWS'] ?? SUITE_DRAWS);
/** One draw to run instead, as JSON, as a failure of this test shows it. */
const ONE_DRAW = process.env['MACBATCH_HOSTILE_DRAW'];
/** Workers at the same time, each with a server of its own. They mostly wait. */
const CONCURRENT = 60;
/** The same for draws that run again because this process stood still. */
const CONCURRENT_AGAIN = 4;
const MAX_RUNS = 6;
/** A longer standstill of this process may cost an item its time limit. */
const MAX_STANDSTILL_MS = LIMIT_MS / 10;
const MAX_CALLS = 40;
/** How long the items of one draw may take. */
const END_MS = 120_000;
const OFFER = { job_type: 'chat', model: 'alias' } as const;

/** The pauses of a worker, shortened like the times of the drawn servers. The patience is longer than each trouble. */
const SHORTENED: Pauses = {
  ...PAUSES,
  unreachableMs: 40,
  busyMs: 20,
  // Longer than the others: after a time-out, a server may still work on the item for the whole time limit, which is
  // not shortened.
  maxBusyMs: 1000,
  maxRateLimitMs: 600,
  // Longer than a lease and two requests take, so that several items of a server are seen first.
  brokenMs: 150,
  maxBrokenMs: 500,
  // As long as an item that was given up can keep its server busy.
  maxTimeoutMs: LIMIT_MS,
  retryMs: 20,
  maxRetryMs: 400,
  holdMs: 300,
  maxHeldPauseMs: 1200,
  rejectionPatienceMs: 3000,
  lonePatienceMs: 4 * LIMIT_MS,
  patienceMs: 6 * LIMIT_MS,
};

/** What is wrong after a worker has run the items of a draw on a real server, over HTTP. */
async function wrongWith(draw: Hostility): Promise<readonly string[]> {
  const ids = Array.from({ length: draw.goodItems + draw.faults.length }, (_, n) => `item-${n}`);
  const faults = faultsOf(draw, ids);
  const items = ids.map((id) => ({ item_id: id, payload: JSON.stringify(id) }));
  const shards = Array.from({ length: Math.ceil(items.length / draw.shardSize) }, (_, n) =>
    items.slice(n * draw.shardSize, (n + 1) * draw.shardSize),
  );
  const control = new MemoryControlPlane(OFFER, shards);
  const server = await HostileHttpServer.open(draw, faults);
  const runtime = openAiEndpoint(
    { url: server.url, models: { [OFFER.model]: 'real' }, jobTypes: [OFFER.job_type], timeoutMs: LIMIT_MS },
    { now: Date.now },
  );
  const worker = startMemoryWorker(control, runtime, { slots: draw.workerSlots, pauses: SHORTENED });
  const isOver = await endsInTime(control.over);
  await worker.stop();
  await server.close();
  const told = worker.log.filter(({ event }) => event === 'endpoint.waits' || event === 'item.failed');
  const { outcomes, charged } = control;
  return [
    ...(isOver ? [] : ['the job does not end']),
    ...ids.flatMap((id) => {
      const outcome = outcomes.get(id);
      const output = outcome !== undefined && 'output' in outcome ? outcome.output : null;
      if (faults.has(id)) return output === null ? [] : [`${id} has the output ${output}`];
      return output?.includes(`"answer to ${id}"`) === true
        ? []
        : [`${id} is good and ended as ${JSON.stringify(outcome)}`];
    }),
    ...[...server.calls].flatMap(([id, n]) =>
      n > MAX_CALLS && ids.includes(id) ? [`${id} was sent ${n} times`] : [],
    ),
    ...(draw.faults.length === 0 && charged > 0
      ? [`the trouble of the server cost ${charged} attempts`]
      : []),
    ...(server.innocentFailures > 0 && told.length === 0 ? ['nobody is told of the trouble'] : []),
  ];
}

/** Draws that wait to run, and the wrong ones. */
interface DrawRuns {
  readonly waiting: Hostility[];
  /** Draws that went wrong while this process stood still, with the number of their runs. */
  readonly disturbed: { readonly draw: Hostility; readonly runs: number }[];
  readonly wrong: string[];
}

/**
 * Runs a draw. A process that does not get a processor misses time limits: what goes wrong then proves nothing, and the
 * draw runs again later.
 */
async function runDraw(
  draw: Hostility,
  runs: number,
  found: DrawRuns,
  standstills: Standstills,
): Promise<void> {
  const since = performance.now();
  const wrong = await wrongWith(draw);
  if (wrong.length === 0) return;
  if (runs < MAX_RUNS && standstills.longestSince(since) > MAX_STANDSTILL_MS) {
    found.disturbed.push({ draw, runs });
  } else {
    found.wrong.push(`${JSON.stringify(draw)}: ${wrong.join('; ')}`);
  }
}

async function runAll(draws: readonly Hostility[]): Promise<readonly string[]> {
  const found: DrawRuns = { waiting: [...draws], disturbed: [], wrong: [] };
  const standstills = new Standstills();
  const runWaiting = async () => {
    for (let draw = found.waiting.pop(); draw !== undefined; draw = found.waiting.pop())
      await runDraw(draw, 1, found, standstills);
  };
  const runDisturbed = async () => {
    for (let next = found.disturbed.pop(); next !== undefined; next = found.disturbed.pop())
      await runDraw(next.draw, next.runs + 1, found, standstills);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, runWaiting));
  await Promise.all(Array.from({ length: CONCURRENT_AGAIN }, runDisturbed));
  standstills.stop();
  return found.wrong;
}

/** The slowest draws run first, so that the last ones end together. */
function slowness({ faults, overload, trouble }: Hostility): number {
  const hangs = faults.filter((fault) => fault === 'hangs').length;
  return 2 * hangs + (overload === 'limits the rate' || trouble === 'limits the rate' ? 1 : 0);
}

/** Whether a promise resolves in time. */
async function endsInTime(over: Promise<void>): Promise<boolean> {
  const late = new AbortController();
  const isLate = sleep(END_MS, late.signal).then(() => false);
  const inTime = await Promise.race([over.then(() => true), isLate]);
  late.abort();
  return inTime;
}

/** With the default number of draws the seed is fixed, so the suite tests the same servers each time. */
function drawsToRun(): readonly Hostility[] {
  if (ONE_DRAW !== undefined) return [JSON.parse(ONE_DRAW) as Hostility];
  const draws = fc.sample(hostilities, { numRuns: DRAWS, ...(DRAWS === SUITE_DRAWS ? { seed: 1913 } : {}) });
  return draws.sort((one, other) => slowness(one) - slowness(other));
}

it('ends each item, fails no good one, bounds the requests and charges nobody, over HTTP', async () => {
  expect(await runAll(drawsToRun())).toEqual([]);
}, 3_600_000);
