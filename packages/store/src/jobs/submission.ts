import { hash } from 'node:crypto';
import type { ConnectionPool } from '@macbatch/connection';
import { WORK_CHANNEL } from '@macbatch/connection';
import { type Item, type JobType, keyTexts, type RetryOn, taskCount } from '@macbatch/core';
import type postgres from 'postgres';
import { ItemCopy } from './binary-copy.ts';
import { cutAroundReused, reuseOutcomes } from './reuse.ts';

export interface JobDraft {
  readonly id: string;
  /** The group of keys whose job it is; empty where nobody needs a key. */
  readonly owner?: string;
  readonly jobType: JobType;
  readonly model: string;
  /** JSON text. */
  readonly params: string;
  readonly shardSize: number;
  readonly retryOn: RetryOn;
  /** Higher first; 0 by default. */
  readonly priority?: number;
  readonly idempotencyKey: string | null;
  /** Whether outcomes of equal items, of earlier jobs and of this one, are taken instead of running them; not by default. */
  readonly reuse?: boolean;
  /** What the owner's unfinished jobs may hold, with this one. */
  readonly quota?: Quota;
}

/** Items one by one, or many at a time: each step of an async iteration has its price. */
export type ItemSource = AsyncIterable<Item | readonly Item[]>;

/** What the unfinished jobs of one owner may hold together. */
export interface Quota {
  readonly items: number;
  readonly payloadBytes: number;
}

export type SubmitReply =
  | { readonly outcome: 'created' | 'existing'; readonly jobId: string }
  | { readonly outcome: 'key_reused'; readonly jobId: string }
  | { readonly outcome: 'no_items' }
  | { readonly outcome: 'over_quota'; readonly quota: Quota }
  /** Places in the order of submission, counted from 0. */
  | {
      readonly outcome: 'duplicate_item_id';
      readonly itemId: string;
      readonly first: number;
      readonly second: number;
    };

/** Ends the transaction without a commit, carrying what is to be answered. */
class Rollback extends Error {
  readonly reply: SubmitReply;
  constructor(reply: SubmitReply) {
    super('rolled back');
    this.reply = reply;
  }
}

/**
 * Stores a job with all its items in one transaction, or nothing of it. The items stream into a COPY:
 * memory does not grow with their number. `bodyDigest` is asked for when the items have ended; it tells a
 * repeated submission from another one under the same key. Throws what `items` throws.
 */
export async function submit(
  pool: ConnectionPool,
  draft: JobDraft,
  items: ItemSource,
  bodyDigest: () => string,
): Promise<SubmitReply> {
  try {
    return await pool.transaction(async (tx, alive) => {
      const before = await createOrHold(tx, draft);
      if (before !== null) {
        // Read to the end: only then is the digest of the body known.
        for await (const _ of items) alive();
        const outcome = before.body_digest === bodyDigest() ? 'existing' : 'key_reused';
        throw new Rollback({ outcome, jobId: before.id });
      }
      const { count, payloadBytes } = await copyItems(tx, draft, items, await allowance(tx, draft), alive);
      alive();
      if (count === 0) throw new Rollback({ outcome: 'no_items' });
      // Sent together, here and below: a small submission is mostly round trips.
      const checked = refuseDuplicates(tx, draft.id);
      const reusing = draft.reuse ? reuseOutcomes(tx, draft.id) : Promise.resolve({ reused: 0, repeated: 0 });
      reusing.catch(() => undefined); // where ids repeat it fails too, and the check says more
      await checked;
      alive();
      const { reused, repeated } = await reusing;
      alive();
      const tasks = reused + repeated > 0 ? await cutAroundReused(tx, draft) : await cut(tx, draft, count);
      alive();
      await Promise.all([
        tx`
          update jobs set item_count = ${count}, payload_bytes = ${payloadBytes}, task_count = ${tasks}, reused_count = ${reused}, repeated_count = ${repeated},
            body_digest = ${bodyDigest()}, created_at = now(), finished_at = case when ${tasks}::int = 0 then now() end,
            last_task_id = (select last_value from tasks_id_seq)
          where id = ${draft.id}`,
        tx`insert into job_tallies (job_id, worker_id, pending, items_ok) values (${draft.id}, '', ${tasks}, ${reused})`,
        tx`select pg_notify(${WORK_CHANNEL}, '')`,
      ]);
      return { outcome: 'created', jobId: draft.id };
    });
  } catch (error) {
    if (error instanceof Rollback) return error.reply;
    throw error;
  }
}

/**
 * Creates the job's row, and answers null; or answers the job that its idempotency key has made before, held so
 * that nobody prunes it while the body is being read.
 */
async function createOrHold(
  tx: postgres.Sql,
  draft: JobDraft,
): Promise<{ readonly id: string; readonly body_digest: string } | null> {
  for (;;) {
    const [created] = await tx`
      insert into jobs (id, owner, job_type, model, params, shard_size, retry_on, priority, item_count, task_count, idempotency_key, body_digest, first_task_id)
      values (${draft.id}, ${draft.owner ?? ''}, ${draft.jobType}, ${draft.model}, ${draft.params}, ${draft.shardSize}, ${draft.retryOn},
        ${draft.priority ?? 0}, 0, 0, ${ownedKey(draft)}, '', (select last_value from tasks_id_seq))
      on conflict (idempotency_key) do nothing
      returning id`;
    if (created !== undefined) return null;
    const [held] = await tx<{ id: string; body_digest: string }[]>`
      select id, body_digest from jobs where idempotency_key = ${ownedKey(draft)} for key share`;
    if (held !== undefined) return held;
  }
}

/** Tasks of consecutive items over all items; returns their number. */
async function cut(tx: postgres.Sql, draft: JobDraft, itemCount: number): Promise<number> {
  const tasks = taskCount(itemCount, draft.shardSize);
  await tx`
    insert into tasks (job_id, first_seq, item_count, retry_on)
    select ${draft.id}, shard * ${draft.shardSize}::int, least(${draft.shardSize}::int, ${itemCount}::int - shard * ${draft.shardSize}::int), ${draft.retryOn}
    from generate_series(0, ${tasks - 1}::int) as shard order by shard`;
  return tasks;
}

/**
 * An idempotency key as the unique index holds it: two owners may use the same. A key comes in a header,
 * where no newline can stand.
 */
function ownedKey(draft: JobDraft): string | null {
  if (draft.idempotencyKey === null) return null;
  return draft.owner ? `${draft.owner}\n${draft.idempotencyKey}` : draft.idempotencyKey;
}

/** What is left of the owner's quota. Submissions at the same time do not see each other. */
async function allowance(tx: postgres.Sql, draft: JobDraft): Promise<Quota> {
  const { quota } = draft;
  if (quota === undefined) return { items: Infinity, payloadBytes: Infinity };
  const [used] = await tx<{ items: number; bytes: number }[]>`
    select coalesce(sum(item_count), 0)::float8 as items, coalesce(sum(payload_bytes), 0)::float8 as bytes
    from jobs where owner = ${draft.owner ?? ''} and finished_at is null and cancelled_at is null`;
  return {
    items: quota.items - (used?.items ?? 0),
    payloadBytes: quota.payloadBytes - (used?.bytes ?? 0),
  };
}

async function copyItems(
  tx: postgres.Sql,
  draft: JobDraft,
  items: ItemSource,
  left: Quota,
  alive: () => void,
): Promise<{ readonly count: number; readonly payloadBytes: number }> {
  const out = await tx`copy items (job_id, seq, item_id, payload, key) from stdin (format binary)`.writable();
  const copy = new ItemCopy(out, draft.id);
  const keyText = draft.reuse === true ? keyTexts(draft) : () => null;
  // A connection that breaks ends the stream while nobody may be waiting for it; the next flush finds out.
  out.on('error', () => undefined);
  let seq = 0;
  try {
    for await (const batch of items) {
      for (const item of isBatch(batch) ? batch : [batch]) {
        if (copy.add(seq, item.id, item.payload, digest(keyText(item.payload)))) await copy.flush();
        seq += 1;
      }
      alive();
      if (draft.quota !== undefined && (seq > left.items || copy.payloadBytes > left.payloadBytes))
        throw new Rollback({ outcome: 'over_quota', quota: draft.quota });
    }
    await copy.end();
  } catch (error) {
    out.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
  return { count: seq, payloadBytes: copy.payloadBytes };
}

function isBatch(items: Item | readonly Item[]): items is readonly Item[] {
  return Array.isArray(items);
}

/** Core's key of an item, by the platform's own and faster SHA-256. */
function digest(keyText: string | null): Buffer | null {
  return keyText === null ? null : hash('sha256', keyText, 'buffer');
}

/** Checks the ids now, while the rows are still there to tell where a repeated one stands. */
async function refuseDuplicates(tx: postgres.Sql, jobId: string): Promise<void> {
  try {
    await Promise.all([tx`savepoint unchecked`, tx`set constraints items_job_id_item_id immediate`]);
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== '23505') throw error;
    await tx`rollback to savepoint unchecked`;
    const [twice] = await tx<{ item_id: string; first: number; second: number }[]>`
      select item_id, places[1] as first, places[2] as second from (
        select item_id, (array_agg(seq order by seq))[1:2] as places, count(*) as uses
        from items where job_id = ${jobId} group by item_id
      ) as id where uses > 1 order by places[2] limit 1`;
    if (twice === undefined) throw error;
    throw new Rollback({
      outcome: 'duplicate_item_id',
      itemId: twice.item_id,
      first: twice.first,
      second: twice.second,
    });
  }
}
