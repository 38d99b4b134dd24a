import { join } from 'node:path';
import { audit } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { modelServer } from './testing/model-server.ts';
import { endedJob, parrotAt, resultsOf, startControl, startWorker, submitPrompts } from './testing/pool.ts';
import { jsonLines, macbatch } from './testing/program.ts';

it.each([
  ['with its outbox', false],
  ['after a purge of its outbox', true],
])('W8: takes up its task immediately when a killed worker starts again %s', async (_, purge) => {
  const control = await startControl();
  const server = await modelServer();
  const job = await submitPrompts(control.client, 4, 4);
  const env = { ...parrotAt(server.url), MACBATCH_CONCURRENCY: '2' };
  const killed = startWorker(control, 'w', { env });
  server.allow(1);
  await until(() => server.answered.length === 1 && server.waiting.length === 2);
  killed.kill('SIGKILL');
  await killed.ended;
  await until(() => server.waiting.length === 0);
  if (purge)
    expect(await macbatch(['worker', 'purge', '--id', 'w'], { env: control.stateEnv })).toMatchObject({
      exit: 0,
    });

  server.allow(1000);
  startWorker(control, 'w', { env });
  expect(await endedJob(control.client, job)).toMatchObject({
    state: 'done',
    items: { ok: 4 },
    leases_granted: 2,
    // After a kill, the lease is handed back like one that has expired, without waiting for its 90 s.
    lease_expired_events: 1,
  });
  expect(await chargedAttempts(control.databaseUrl)).toEqual([2]);
  expect(await resultsOf(control.client, job)).toHaveLength(4);
  expect(await audit(control.databaseUrl)).toEqual([]);
});

it('W8: makes a second machine with the same worker id wait until the first has stopped', async () => {
  const control = await startControl();
  const server = await modelServer();
  const env = { ...parrotAt(server.url), MACBATCH_HEARTBEAT_SECONDS: '2' };
  const first = startWorker(control, 'twin', { env });
  await first.event('worker.running');
  // With another state folder, the worker acts like another machine.
  const elsewhere = { ...env, MACBATCH_STATE_DIR: join(testFolder(), 'workers') };
  const second = startWorker(control, 'twin', { env: elsewhere });
  const refused = await second.event('heartbeat.failed');
  expect(refused['reason']).toMatch(
    /^The worker id twin is in use by a worker on .+ another MACBATCH_WORKER_ID/,
  );
  expect(jsonLines(second.stdout()).map(({ event }) => event)).not.toContain('worker.running');

  first.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ exit: 0 });
  await second.event('worker.running');
});

async function chargedAttempts(databaseUrl: string): Promise<number[]> {
  const sql = postgres(databaseUrl, { max: 1 });
  try {
    const rows = await sql<
      { charged: number }[]
    >`select attempts - returns as charged from tasks order by id`;
    return rows.map(({ charged }) => charged);
  } finally {
    await sql.end();
  }
}
