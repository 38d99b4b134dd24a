import { openConnectionPools } from '@macbatch/connection';
import { expect, it, onTestFinished } from 'vitest';
import { numberedItems, sharedStore } from '../testing/index.ts';

const db = sharedStore();

it('reports the oldest open transaction and the age of transaction ids', async () => {
  const session = await db.sql.reserve();
  const [own] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await session`begin`;
  await session`set application_name = 'forgotten'`;
  const { transactions } = await db.store.databaseSettings();
  expect(transactions).toEqual({
    oldest: { seconds: expect.any(Number), application: 'forgotten', pid: own?.pid },
    idAge: expect.any(Number),
  });
  expect(transactions.idAge).toBeGreaterThan(0);
  expect((await db.store.pulse()).transactions.oldest?.pid).toBe(own?.pid);
  await session`rollback`;
  await session`reset application_name`;
  session.release();
});

it('Postgres itself ends a statement of a submission that takes as long as this process waits', async () => {
  await db.sql.unsafe(`
    create table seen (timeout text);
    create function note_timeout() returns trigger language plpgsql as
      $$ begin insert into seen values (current_setting('statement_timeout')); return new; end $$;
    create trigger note_timeout before insert on tasks for each row execute function note_timeout()`);
  const draft = {
    jobType: 'noop',
    model: 'noop',
    params: '{}',
    shardSize: 10,
    retryOn: 'attempts',
    idempotencyKey: null,
  } as const;
  await db.store.submit(draft, numberedItems(1), () => '');
  expect(await db.sql`select timeout from seen`).toEqual([{ timeout: '5min' }]);
});

it('Postgres itself ends every transaction that a control plane leaves open', async () => {
  const pools = openConnectionPools({ url: db.url, statementMs: 1000 });
  onTestFinished(() => pools.close());
  const timeouts = await Promise.all(
    [pools.durable, pools.relaxed, pools.uploads, pools.long].map((pool) =>
      pool.transaction(
        (sql) => sql`select current_setting('idle_in_transaction_session_timeout') as timeout`,
      ),
    ),
  );
  expect(timeouts.flat().map(({ timeout }) => timeout)).toEqual(['11s', '11s', '310s', '310s']);
});
