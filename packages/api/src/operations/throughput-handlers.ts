import type { RouteArguments, Throughput } from '@macbatch/contract';
import type { ThroughputPoint } from '@macbatch/store';
import { listed } from '../auth/caller.ts';
import { mount, type Surface } from '../requests/mount.ts';
import { RefusedRequest } from '../requests/refused-request.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Steps in a reply without a chosen length. */
const USUAL_STEPS = 120;
const MAX_STEPS = 2000;
const MAX_SERIES = 20;
/** Lengths that are chosen, in minutes. */
const USUAL_MINUTES = [1, 2, 5, 10, 15, 30, 60, 120] as const;

interface Steps {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly count: number;
}

/** Mounts the route that counts finished items over time. */
export function mountThroughput(surface: Surface): void {
  const { store } = surface;

  mount(surface, 'readThroughput', async ({ query }, caller) => {
    const { by, job, worker, model } = query;
    const nowMs = query.to === undefined ? (await store.now()).getTime() : Date.parse(query.to);
    const steps = stepsOf(query, nowMs);
    const to = new Date(steps.fromMs + steps.count * steps.stepMs);
    const points = await store.throughput({
      owner: listed(caller),
      job: job ?? null,
      worker: worker ?? null,
      model: model ?? null,
      by,
      from: new Date(steps.fromMs),
      to,
      stepSeconds: steps.stepMs / 1000,
    });
    return {
      from: new Date(steps.fromMs).toISOString(),
      to: to.toISOString(),
      step_seconds: steps.stepMs / 1000,
      times: Array.from({ length: steps.count }, (_, n) =>
        new Date(steps.fromMs + n * steps.stepMs).toISOString(),
      ),
      series: seriesOf(points, steps.count),
    };
  });
}

/** The steps of a request, which begin at multiples of their length. The last one contains the end. */
function stepsOf(query: RouteArguments<'readThroughput'>['query'], toMs: number): Steps {
  const wantedMs = query.from === undefined ? toMs - HOUR_MS : Date.parse(query.from);
  if (wantedMs >= toMs)
    throw new RefusedRequest('invalid_field', 'from: must be before to', { field: 'from' });
  const usual = USUAL_MINUTES.find((minutes) => (toMs - wantedMs) / (minutes * MINUTE_MS) <= USUAL_STEPS);
  const stepMs = query.step === undefined ? (usual ?? 240) * MINUTE_MS : query.step * 1000;
  const fromMs = Math.floor(wantedMs / stepMs) * stepMs;
  const count = Math.ceil((toMs - fromMs) / stepMs);
  if (count > MAX_STEPS)
    throw new RefusedRequest(
      'invalid_field',
      `step: from and to are ${count} steps apart. At most ${MAX_STEPS} are answered.`,
      { field: 'step' },
    );
  return { fromMs, stepMs, count };
}

type Series = Throughput['series'][number];

/** One series for each key, the largest first. Those beyond the limit are added up. */
function seriesOf(points: readonly ThroughputPoint[], count: number): Series[] {
  const byKey = [...Map.groupBy(points, ({ key }) => key)]
    .map(([key, ofKey]) => ({ key, ofKey, total: ofKey.reduce((sum, { ok, error }) => sum + ok + error, 0) }))
    .sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));
  const shown = byKey.length > MAX_SERIES ? byKey.slice(0, MAX_SERIES - 1) : byKey;
  const others = byKey.slice(shown.length).flatMap(({ ofKey }) => ofKey);
  return [
    ...shown.map(({ key, ofKey }) => series(key, ofKey[0]?.jobName ?? null, ofKey, count)),
    ...(others.length === 0 ? [] : [series(null, null, others, count)]),
  ];
}

function series(
  key: string | null,
  name: string | null,
  points: readonly ThroughputPoint[],
  count: number,
): Series {
  const filled = (value: (point: ThroughputPoint) => number) => {
    const numbers = Array.from({ length: count }, () => 0);
    for (const point of points) numbers[point.step] = (numbers[point.step] ?? 0) + value(point);
    return numbers;
  };
  return {
    key,
    name,
    ok: filled(({ ok }) => ok),
    error: filled(({ error }) => error),
    input_tokens: filled(({ inputTokens }) => inputTokens),
    output_tokens: filled(({ outputTokens }) => outputTokens),
    leases_expired: filled(({ leasesExpired }) => leasesExpired),
  };
}
