import { expect, it } from 'vitest';
import { endedJob, heartbeat } from './testing/example-job.ts';
import { pageApp } from './testing/page-app.ts';

const MAX_PAGE_BYTES = 200_000;
const JOBS = 10_000;
const WORKERS = 200;
const GROUPS = 500;

const app = pageApp();
const macName = (n: number) => `macbook-pro-of-somebody-${n}.office.example.org`;

it('no page grows beyond 200 KB with 10,000 jobs, 200 Macs and 500 groups of failures', async () => {
  // Letters, because digits do not distinguish groups.
  const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const items = Array.from({ length: GROUPS }, (_, n) => ({
    id: `item-${n} ${'i'.repeat(200)}`,
    payload: 'p'.repeat(1000),
    error: { code: `code_${letters(n)}`, message: `${letters(n)} ${'went wrong. '.repeat(40)}` },
  }));
  const job = await endedJob(app, items, 'failing');
  await app.db.sql`
    insert into jobs (id, job_type, model, name, params, shard_size, retry_on, item_count, task_count, body_digest, finished_at, created_at)
    select gen_random_uuid(), 'noop', 'noop', repeat('a long name ', 15), '{}', 50, 'attempts', 100, 2, '',
      case when n % 2 = 0 then now() end, now() - n * interval '1 second'
    from generate_series(1, ${JOBS}::int) as n`;
  for (let n = 0; n < WORKERS; n += 1)
    await heartbeat(app, macName(n), ['qwen3:30b-a3b-instruct', 'gemma3', 'noop']);
  const paths = [
    '/',
    '/?state=running',
    `/jobs/${job}`,
    `/jobs/${job}/items`,
    `/jobs/${job}/items?state=error`,
    `/jobs/${job}/items/3`,
    `/jobs/${job}/retry`,
    '/macs',
    `/macs/${macName(0)}`,
    '/throughput',
    '/events',
    '/admin',
    '/admin/prune',
  ];
  for (const path of paths) {
    const html = await app.html(path);
    expect({ path, isSmall: Buffer.byteLength(html) < MAX_PAGE_BYTES }).toEqual({ path, isSmall: true });
  }
  const shown = await app.html(`/jobs/${job}`);
  expect(/(\d+) failures more in other groups/.exec(shown)?.[1]).toBe('450');
});
