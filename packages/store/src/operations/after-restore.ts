import { Database } from '@macbatch/connection';

/** More tasks than any deployment creates between a backup and its restore. */
const SKIPPED_TASK_IDS = 1_000_000_000;

/**
 * Prepares a database that was restored from a backup. Call it once, before a control plane serves the database.
 *
 * Skips the ids of tasks that were created after the backup: workers may still report outcomes for them, which would
 * be recorded for new tasks. Deletes join tokens, because they may have been used after the backup.
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
      await sql.unsafe('delete from sessions');
    });
  } finally {
    await connection.end();
  }
}
