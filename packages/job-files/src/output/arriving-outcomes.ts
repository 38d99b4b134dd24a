import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client, Unreachable } from '@macbatch/client';
import type { JobView } from '@macbatch/contract';
import { EXIT, Failure } from '@macbatch/terminal';
import { type Outcome, readOutcome } from './outcome.ts';
import type { SeqRanges } from './seq-ranges.ts';

/** Default pause between two looks for new outcomes. */
const POLL_MS = 1000;

export type OutcomeOrder = 'input' | 'completion';

/** Which outcomes of a job are read, and when. */
export interface OutcomeReading {
  readonly jobId: string;
  /** Only the outcome of this item. */
  readonly itemId?: string | undefined;
  readonly order: OutcomeOrder;
  /** `now`: those that there are. `arrival`: each when it arrives. `end`: all at the end of the job. */
  readonly time: 'now' | 'arrival' | 'end';
  /** Keeps trying while the control plane does not answer. */
  readonly persistent: boolean;
  /** Pause between two looks for new outcomes. */
  readonly pollMs?: number | undefined;
  /** The outcomes to skip. The caller adds each one that it gets. */
  readonly read: SeqRanges;
}

/** Yields outcomes of a job, and null before each pause. `onJob` gets the job as it was before they were read. */
export async function* arrivingOutcomes(
  client: Client,
  reading: OutcomeReading,
  signal: AbortSignal,
  onJob: (job: JobView) => void = () => undefined,
): AsyncGenerator<Outcome | null, void, undefined> {
  const { jobId, order, time, read } = reading;
  let endedBefore = -1;
  for (;;) {
    try {
      const job = await client.call('readJob', { params: { id: jobId } }, { signal });
      onJob(job);
      const isLast = time === 'now' || !isOpen(job);
      const ended = job.items.ok + job.items.error + job.items.failed;
      if (isLast || (time === 'arrival' && ended !== endedBefore)) {
        const query = {
          ...(reading.itemId === undefined ? {} : { item_id: reading.itemId }),
          after: read.prefixEnd,
          ...(!isLast && order === 'input' ? { until_open: true } : {}),
        };
        for await (const line of client.results(jobId, query, { signal })) {
          const outcome = readOutcome(line);
          if (outcome.seq === null && !isLast) throw tooOld();
          if (outcome.seq === null || !read.has(outcome.seq)) yield outcome;
        }
      }
      if (isLast) return;
      endedBefore = ended;
    } catch (error) {
      const isTemporary = error instanceof Unreachable || (error instanceof ApiError && error.retryable);
      if (!isTemporary || !reading.persistent) throw error;
    }
    yield null;
    await delay(reading.pollMs ?? POLL_MS, undefined, { signal });
  }
}

/** Whether items of a job can still run. */
export function isOpen({ state }: Pick<JobView, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

function tooOld(): Failure {
  return new Failure(
    EXIT.usage,
    'The control plane is of an earlier release and cannot send outcomes while a job runs. Upgrade it, or wait for the end of the job.',
  );
}
