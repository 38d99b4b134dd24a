import { randomUUID } from 'node:crypto';
import type { Client } from '@macbatch/client';
import type { JobHeader } from '@macbatch/contract';
import { EXIT, Failure, type Terminal, watchJob } from '@macbatch/terminal';
import type { InputItem, JobInput } from '../input/job-input.ts';
import { payloadOf } from '../items/item-payload.ts';
import { chosen } from '../items/record-choice.ts';
import { readOutcome } from '../output/outcome.ts';
import { contentKey, type Draft, submitDraft } from '../submission.ts';
import { type TriedOutcome, triedOutcome } from './tried-outcome.ts';

/** The tried items are always the same, so that a second try takes them from the ledger. */
const SEED = 1;

/** A person has interrupted the trial and waits. */
const CANCEL_TIMEOUT_MS = 5000;

/**
 * Runs some items of an input, chosen at random, as a job of their own, and waits for its end. Their outputs are in the
 * ledger afterwards, so the whole job does not run them again. Cancels the job if it does not end: nothing is left
 * running. `onExplained` gets what the job waits for, and may throw to stop.
 */
export async function tryItems(
  client: Client,
  { header, input, count, total }: TrialJob,
  terminal: Terminal,
  signal: AbortSignal,
  onExplained?: Parameters<typeof watchJob>[4],
): Promise<readonly TriedOutcome[]> {
  const items: InputItem[] = [];
  for await (const item of chosen(input.items(), { kind: 'sample', count, seed: SEED }, total))
    items.push(item);
  const draft = {
    header: { ...header, shard_size: 1 },
    async *lines() {
      for (const { text } of items) yield text;
    },
    placeOf: (position: number) => items[position - 1]?.place ?? `item ${position}`,
  };
  const key = { contentHash: await contentKey(draft), idempotencyKey: `try-${randomUUID()}` };
  let jobId: string | undefined;
  try {
    const { job } = await submitDraft(client, draft, key, signal);
    jobId = job.id;
    const ended = await watchJob(client, job.id, terminal, signal, onExplained);
    if (ended.state === 'cancelled')
      throw new Failure(EXIT.incomplete, 'The job of the tried items was cancelled.');
  } catch (error) {
    if (jobId !== undefined || signal.aborted)
      await cancelTrial(client, draft, key, jobId).catch(() => undefined);
    throw error;
  }
  const payloads = new Map(items.map(({ id, text }) => [id, payloadOf(text)]));
  const outcomes: TriedOutcome[] = [];
  for await (const line of client.results(jobId, { after: -1 }, { signal })) {
    const outcome = readOutcome(line);
    outcomes.push(triedOutcome(outcome, header.job_type, payloads.get(outcome.id) ?? 'null'));
  }
  return outcomes;
}

/**
 * Cancels the job of a trial. If its id is not known because the wait for the answer has ended, submits it again: the
 * key finds the job, or creates it where it was not created.
 */
async function cancelTrial(
  client: Client,
  draft: Draft,
  key: Parameters<typeof submitDraft>[2],
  jobId: string | undefined,
): Promise<void> {
  // Not with the signal, which may have ended the wait.
  const limit = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  const id = jobId ?? (await submitDraft(client, draft, key, limit)).job.id;
  await client.call('cancelJob', { params: { id } }, { signal: limit });
}

/** The items to try. */
export interface TrialJob {
  readonly header: JobHeader;
  readonly input: JobInput;
  /** How many items are tried. */
  readonly count: number;
  /** How many items the input has. */
  readonly total: number;
}
