import { withDatabase } from '@macbatch/connection';
import { openPostgres } from '@macbatch/postgres';
import { createDatabase } from '@macbatch/postgres/testing';
import postgres from 'postgres';
import { createStore } from '../create-store.ts';
import { migrate } from '../database/migrate.ts';
import type { FreshStore } from './fresh-store.ts';

/** The largest node in the plan of a statement. */
interface StatementWork {
  readonly text: string;
  /** Rows that the node returned or discarded, over all its loops. */
  readonly rows: number;
}

interface ExplainedStore extends FreshStore {
  /** Returns the work of each statement since the last call. */
  takeWork(): Promise<readonly StatementWork[]>;
}

const NODE = /\(actual rows=([\d.]+) loops=(\d+)\)/;
const REMOVED = /Rows Removed by (?:Join )?Filter: (\d+)/;

/** Opens a store over a separate server that logs the plan of every statement and never gathers statistics. */
export async function explainedStore(): Promise<ExplainedStore> {
  const lines: string[] = [];
  const server = await openPostgres({ throwaway: true, log: (line) => lines.push(line) });
  const database = await createDatabase(server.url, 'explained');
  await migrate(database.url);
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  for (const setting of [
    `session_preload_libraries = 'auto_explain'`,
    'auto_explain.log_min_duration = 0',
    'auto_explain.log_analyze = on',
    'auto_explain.log_timing = off',
    // Tables as small as those of a test are scanned for each lookup, which says nothing about large ones.
    'enable_seqscan = off',
  ])
    await sql.unsafe(`alter database explained set ${setting}`);
  const tables = await sql<
    { name: string }[]
  >`select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  for (const { name } of tables) await sql`alter table ${sql(name)} set (autovacuum_enabled = off)`;
  const store = createStore({ url: database.url });
  let marks = 0;
  return {
    store,
    url: withDatabase(server.url, 'explained'),
    sql,
    async takeWork() {
      // The log may arrive later than the answers of the statements. The mark is the last line that counts.
      marks += 1;
      const mark = `mark ${marks} of the test`;
      await sql.unsafe(`do $$ begin raise log '${mark}'; end $$`);
      while (!lines.some((line) => line.includes(mark))) await new Promise(setImmediate);
      return workOf(lines.splice(0));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([store.close(), sql.end({ timeout: 5 })]);
      await server.close();
    },
  };
}

/** Reads plans from the lines of a server's log. */
function workOf(lines: readonly string[]): readonly StatementWork[] {
  const plans = lines
    .join('\n')
    .split(/^.*duration: [\d.]+ ms {2}plan:$/m)
    .slice(1);
  return plans.map((plan) => {
    let loops = 1;
    let most = 0;
    for (const line of plan.split('\n')) {
      const node = NODE.exec(line);
      if (node !== null) loops = Number(node[2]);
      const rows = node?.[1] ?? REMOVED.exec(line)?.[1];
      if (rows !== undefined) most = Math.max(most, Number(rows) * loops);
    }
    return { text: plan, rows: most };
  });
}
