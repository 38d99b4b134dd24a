import { join } from 'node:path';
import { Client } from '@macbatch/client';
import { findPgBouncer, openPooler } from '@macbatch/postgres/testing';
import { audit, freshDatabase } from '@macbatch/store/testing';
import { testFolder, until } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { endedJob, resultsOf } from './testing/pool.ts';
import { jsonLines, start } from './testing/program.ts';

const pgbouncer = findPgBouncer(process.env['PATH']);

it.skipIf(pgbouncer === undefined)(
  'runs a job with two control planes behind a connection pooler, and logs once that they poll (needs PgBouncer: apt-get install pgbouncer)',
  async () => {
    const database = await freshDatabase();
    onTestFinished(() => database[Symbol.asyncDispose]());
    const pooler = await openPooler(pgbouncer ?? '', database.url);
    onTestFinished(() => pooler.close());
    const folder = testFolder();
    const env = { PROBE_STATE: join(folder, 'probe_state.json') };
    const controls = ['left', 'right'].map((name) =>
      start('control', [], {
        env: {
          ...env,
          MACBATCH_CONTROL_NAME: name,
          MACBATCH_DATABASE_URL: pooler.url,
          MACBATCH_PORT: '0',
        },
      }),
    );
    const urls = await Promise.all(
      controls.map(async (control) => String((await control.event('control.listening'))['url'])),
    );
    const workers = urls.map((url, n) =>
      start('worker', [], {
        env: {
          ...env,
          MACBATCH_STATE_DIR: join(folder, 'workers'),
          MACBATCH_CONTROL_URL: url,
          MACBATCH_WORKER_ID: `worker-${n}`,
          MACBATCH_NOOP: '1',
          MACBATCH_USE_LITE: '0',
        },
      }),
    );
    // The workers wait for work, so a control plane without notifications must poll.
    const pollEvents = () =>
      controls.map(({ stdout }) => jsonLines(stdout()).filter(({ event }) => event === 'wake.deaf'));
    await until(() => pollEvents().every((events) => events.length > 0));
    const [client, other] = urls.map((url) => new Client({ baseUrl: url }));
    if (client === undefined || other === undefined) throw new Error('there are no control planes');
    const { job } = await client.submit(async function* () {
      yield JSON.stringify({ job_type: 'noop', model: 'noop', shard_size: 5 });
      for (let n = 0; n < 500; n += 1) yield JSON.stringify({ id: `i${n}`, payload: n });
    });
    expect(await endedJob(other, job.id)).toMatchObject({ state: 'done', items: { total: 500, ok: 500 } });
    const results = await resultsOf(other, job.id);
    expect(results.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, n) => `i${n}`));
    for (const program of [...workers, ...controls]) {
      program.kill('SIGTERM');
      expect(await program.ended).toMatchObject({ exit: 0 });
    }
    expect(pollEvents().map((events) => events.length)).toEqual([1, 1]);
    expect(controls.map(({ stdout }) => stdout()).join('')).not.toContain('request.failed');
    expect(await audit(database.url)).toEqual([]);
  },
);
