import { sleep } from '@macbatch/agent';
import type { Client } from '@macbatch/client';
import type { RunClock } from './mac-life.ts';
import { JOB_TYPE } from './mac-runtime.ts';
import type { Rules } from './measured.ts';
import { payloadOf, type ReplayJob, type Workload } from './workload.ts';

/** The headers of submissions. With the product rules, the control plane chooses the shard size. */
const HEADERS: Record<Rules, object> = {
  product: { retry_on: 'errors' },
  base: { shard_size: 50, retry_on: 'attempts' },
};

/** Submits a job. Returns its id. */
export async function submit(
  client: Client,
  workload: Workload,
  number: number,
  rules: Rules,
): Promise<string> {
  const { job } = await client.submit(() => lines(workload.jobs[number], number, rules));
  return job.id;
}

/** Submits a job at its time. Returns its id, or null if the run ends before. */
export async function submitLater(
  client: Client,
  workload: Workload,
  number: number,
  rules: Rules,
  clock: RunClock,
  over: AbortSignal,
): Promise<string | null> {
  const wait = (workload.jobs[number]?.at ?? 0) - clock();
  await sleep(Math.max(0, wait) * 1000, over).catch(() => undefined);
  return over.aborted ? null : submit(client, workload, number, rules);
}

async function* lines(job: ReplayJob | undefined, number: number, rules: Rules): AsyncGenerator<string> {
  if (job === undefined) throw new RangeError(`there is no job ${number}`);
  yield JSON.stringify({ job_type: JOB_TYPE, model: job.model, ...HEADERS[rules] });
  for (const n of job.costs.keys()) {
    yield JSON.stringify({ id: `item-${n}`, payload: JSON.parse(payloadOf({ job: number, n })) as unknown });
  }
}
