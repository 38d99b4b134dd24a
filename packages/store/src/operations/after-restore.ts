import { Database } from '@macbatch/connection';

/** More tasks than any deployment cuts between a backup and its restore. */
const SKIPPED_TASK_IDS = 1_000_000_000;

/**
 * To be called once after a database was restored from a backup, before a control plane serves it.
 *
 * Ids of tasks that were cut after the backup are not given out again: a worker may still have outcomes to
 * report for them, which would be taken for those of the new task. Tokens are worth nothing any more, since
 * they may have been used after the backup.
 */
export async function afterRestore(url: string): Promise<void> {
  const { connection } = await new Database(url).connect({
    applicationName: 'macbatch-restored',
    settings: { synchronous_commit: 'on' },
  });
  try {
    await connection.run(async (sql) => {
      await sql.unsafe(`select setval(sequence, nextval(sequence) + ${SKIPPED_TASK_IDS})
        from (select pg_get_serial_sequence('tasks', 'id')::regclass as sequence) as tasks`);
      await sql.unsafe('delete from join_tokens');
    });
  } finally {
    await connection.end();
  }
}
