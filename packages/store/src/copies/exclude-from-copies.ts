import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { copies, items, tasks } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { LeaseName } from '../leasing/lease-answers.ts';
import { isItemOf } from '../tasks/task-items.ts';

type SuspectArguments = {
  worker: string;
  taskIds: readonly string[];
  attempts: readonly number[];
  itemIds: readonly string[];
};

/** Stores each suspect as an ended copy, which keeps the item from being copied for a while. */
const insertSuspects = statement<SuspectArguments, never>(
  (arg) => sql`
  insert into ${copies} (task_id, attempt, worker_id, boot_id, first_seq, end_seq, lease_until, ended)
  select ${tasks.id}, ${tasks.attempts}, ${arg.worker('text')}, '', ${items.seq}, ${items.seq} + 1, now(), 'suspect'
  from unnest(${arg.taskIds('bigint[]')}, ${arg.attempts('int[]')}, ${arg.itemIds('text[]')})
    as suspect (task_id, attempt, item_id)
  join ${tasks} on ${tasks.id} = suspect.task_id and ${tasks.attempts} = suspect.attempt
    and ${tasks.status} = 'leased' and ${tasks.assignedWorker} = ${arg.worker('text')}
  join ${items} on ${items.itemId} = suspect.item_id and ${isItemOf(sql`${tasks}`)}
  on conflict do nothing`,
);

/** An item that its holder runs alone, because the runtime crashed while it ran. */
export interface SuspectItem extends LeaseName {
  readonly itemId: string;
}

/** Keeps a holder's suspects from being copied for an hour. */
export async function excludeFromCopies(
  connections: ConnectionPools,
  worker: string,
  suspects: readonly SuspectItem[],
): Promise<void> {
  await insertSuspects.run(connections.relaxed, {
    worker,
    taskIds: suspects.map(({ taskId }) => taskId),
    attempts: suspects.map(({ attempt }) => attempt),
    itemIds: suspects.map(({ itemId }) => itemId),
  });
}
