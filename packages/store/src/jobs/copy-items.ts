import { hash } from 'node:crypto';
import { type Item, jobTypeOf, keyTexts } from '@macbatch/core';
import type postgres from 'postgres';
import { BinaryCopyWriter } from './binary-copy-writer.ts';
import { type ItemSource, type JobDraft, type Quota, SubmissionRefused } from './job-draft.ts';
import { TaskCuts } from './task-cuts.ts';

export interface CopiedItems {
  readonly count: number;
  readonly payloadBytes: number;
  /** Where bytes cut the items into tasks. */
  readonly cuts: TaskCuts;
}

/** Streams items into a COPY. Throws `SubmissionRefused` over the quota, and what `items` throws. */
export async function copyItems(
  tx: postgres.Sql,
  draft: JobDraft,
  items: ItemSource,
  alive: () => void,
): Promise<CopiedItems> {
  const left = await remainingQuota(tx, draft);
  const out = await tx`copy items (job_id, seq, item_id, payload, key) from stdin (format binary)`.writable();
  const writer = new BinaryCopyWriter(out, draft.id);
  const keyText =
    draft.reuse === true ? keyTexts({ ...draft, jobType: jobTypeOf(draft.jobType) }) : () => null;
  // A broken connection ends the stream, perhaps while no code waits for it. The next flush reports it.
  out.on('error', () => undefined);
  const cuts = new TaskCuts(draft.shardSize);
  let seq = 0;
  try {
    for await (const batch of items) {
      for (const item of isBatch(batch) ? batch : [batch]) {
        const bytesBefore = writer.payloadBytes;
        const isFull = writer.add(seq, item.id, item.payload, digest(keyText(item.payload)));
        cuts.add(writer.payloadBytes - bytesBefore);
        if (isFull) await writer.flush();
        seq += 1;
      }
      alive();
      if (draft.quota !== undefined && (seq > left.items || writer.payloadBytes > left.payloadBytes))
        throw new SubmissionRefused({ outcome: 'over_quota', quota: draft.quota });
    }
    await writer.end();
  } catch (error) {
    out.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
  return { count: seq, payloadBytes: writer.payloadBytes, cuts };
}

function isBatch(items: Item | readonly Item[]): items is readonly Item[] {
  return Array.isArray(items);
}

/** Core's idempotency key, computed with the platform's faster SHA-256. */
function digest(keyText: string | null): Buffer | null {
  return keyText === null ? null : hash('sha256', keyText, 'buffer');
}

/** What is left of the owner's quota. Submissions at the same time do not see each other. */
async function remainingQuota(tx: postgres.Sql, { owner, quota }: JobDraft): Promise<Quota> {
  if (quota === undefined) return { items: Infinity, payloadBytes: Infinity };
  const [used] = await tx<{ items: number; bytes: number }[]>`
    select coalesce(sum(item_count), 0)::float8 as items, coalesce(sum(payload_bytes), 0)::float8 as bytes
    from jobs where owner = ${owner ?? ''} and finished_at is null and cancelled_at is null`;
  return {
    items: quota.items - (used?.items ?? 0),
    payloadBytes: quota.payloadBytes - (used?.bytes ?? 0),
  };
}
