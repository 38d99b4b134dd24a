import { type ConnectionPool, LONG_WORK_MS, WORK_CHANNEL } from '@macbatch/connection';
import type postgres from 'postgres';
import { checkItemIds } from './check-item-ids.ts';
import { copyItems } from './copy-items.ts';
import { createOrLock } from './create-or-lock-job.ts';
import { cutTasks, cutTasksAroundReused } from './cut-tasks.ts';
import { type ItemSource, type JobDraft, SubmissionRefused, type SubmitReply } from './job-draft.ts';
import { reuseOutcomes } from './reuse-outcomes.ts';

/**
 * Stores a job with all its items in one transaction, or nothing of it. The items stream into a COPY, so memory does
 * not grow with their number. `bodyDigest` is called after the last item; it distinguishes a repeated submission from
 * another body under the same idempotency key. Throws what `items` throws.
 */
export async function submitJob(
  pool: ConnectionPool,
  draft: JobDraft,
  items: ItemSource,
  bodyDigest: () => string,
): Promise<SubmitReply> {
  try {
    return await pool.transaction((tx, alive) => storeJob(tx, alive, draft, items, bodyDigest));
  } catch (error) {
    if (error instanceof SubmissionRefused) return error.reply;
    throw error;
  }
}

/** Stores a job inside a transaction of the caller. Throws `SubmissionRefused`, which has to roll it back. */
export async function storeJob(
  tx: postgres.Sql,
  alive: () => void,
  draft: JobDraft,
  items: ItemSource,
  bodyDigest: () => string,
): Promise<SubmitReply> {
  const existing = await createOrLock(tx, draft);
  if (existing !== null) {
    // The digest of the body is known only when all of it was read.
    for await (const _ of items) {
      await tx`select`; // Postgres ends transactions that stay idle
      alive();
    }
    const outcome = existing.body_digest === bodyDigest() ? 'existing' : 'key_reused';
    throw new SubmissionRefused({ outcome, jobId: existing.id });
  }
  const { count, payloadBytes, cuts } = await copyItems(tx, draft, items, alive);
  // The COPY lasted as long as the upload. From here on, a statement that this process gives up must end there too.
  await tx.unsafe(`set local statement_timeout = ${LONG_WORK_MS}`);
  alive();
  if (count === 0) throw new SubmissionRefused({ outcome: 'no_items' });
  // Sent together, here and below: a small submission spends most of its time on round trips.
  const checked = checkItemIds(tx, draft.id);
  const reusing = draft.reuse
    ? reuseOutcomes(tx, draft.id, draft.owner ?? '')
    : Promise.resolve({ reused: 0, repeated: 0 });
  reusing.catch(() => undefined); // it also fails when ids repeat, and the check has the better error
  await checked;
  alive();
  const { reused, repeated } = await reusing;
  alive();
  const tasks =
    reused + repeated > 0
      ? await cutTasksAroundReused(tx, draft, cuts.starts)
      : await cutTasks(tx, draft, count, cuts.starts);
  const largestTaskBytes = cuts.largestTaskBytes * (reused + repeated > 0 ? 2 : 1);
  alive();
  await Promise.all([
    tx`
      update jobs set item_count = ${count}, payload_bytes = ${payloadBytes}, task_count = ${tasks}, reused_count = ${reused}, repeated_count = ${repeated},
        smaller_tasks = ${cuts.smallerTasks}, largest_task_bytes = ${largestTaskBytes},
        body_digest = ${bodyDigest()}, created_at = now(), finished_at = case when ${tasks}::int = 0 then now() end,
        last_task_id = (select last_value from tasks_id_seq)
      where id = ${draft.id}`,
    tx`insert into job_tallies (job_id, worker_id, pending, items_ok) values (${draft.id}, '', ${tasks}, ${reused})`,
    tx`select pg_notify(${WORK_CHANNEL}, '')`,
  ]);
  return { outcome: 'created', jobId: draft.id };
}
