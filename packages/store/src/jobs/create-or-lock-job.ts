import type postgres from 'postgres';
import type { JobDraft } from './job-draft.ts';

interface ExistingJob {
  readonly id: string;
  readonly body_digest: string;
}

/**
 * Creates the job's row and returns null. If a job with the idempotency key exists, returns that job, locked
 * so that no prune deletes it while the body is read.
 */
export async function createOrLock(tx: postgres.Sql, draft: JobDraft): Promise<ExistingJob | null> {
  for (;;) {
    const [created] = await tx`
      insert into jobs (id, owner, name, submitted_by, job_type, model, params, shard_size, retry_on, priority, item_count, task_count, idempotency_key, body_digest, first_task_id)
      values (${draft.id}, ${draft.owner ?? ''}, ${draft.name ?? null}, ${draft.submittedBy ?? null}, ${draft.jobType}, ${draft.model}, ${draft.params}, ${draft.shardSize}, ${draft.retryOn},
        ${draft.priority ?? 0}, 0, 0, ${ownedKey(draft)}, '', (select last_value from tasks_id_seq))
      on conflict (idempotency_key) do nothing
      returning id`;
    if (created !== undefined) return null;
    const [existing] = await tx<ExistingJob[]>`
      select id, body_digest from jobs where idempotency_key = ${ownedKey(draft)} for key share`;
    if (existing !== undefined) return existing;
  }
}

/**
 * The idempotency key as the unique index stores it. The owner is part of it, so that two owners can use the same
 * key. A newline separates them: keys come in a header, which can't contain one.
 */
function ownedKey(draft: JobDraft): string | null {
  if (draft.idempotencyKey === null) return null;
  return draft.owner ? `${draft.owner}\n${draft.idempotencyKey}` : draft.idempotencyKey;
}
