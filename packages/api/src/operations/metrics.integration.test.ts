import { readFileSync } from 'node:fs';
import { makeLeasesPass } from '@macbatch/store/testing';
import { beforeEach, expect, it } from 'vitest';
import { completed, fileApp, JOB, LEASE } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';
import { VERSION } from './version.ts';

const { db, errors, leased, report, send } = fileApp({ open: true });
const OPERATIONS = new URL('../../../../docs/operations.md', import.meta.url);

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the text format as a scraper does. Throws on an unknown line. */
function samplesOf(text: string): Sample[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^# (HELP|TYPE) [a-z_][a-z0-9_]* \S/.test(line))
    .map((line) => {
      const [, name, labels, value] =
        /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (-?[\d.e+-]+|N[aA][nN]|[+-]Inf)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`not a sample: ${line}`);
      const pairs = [...(labels ?? '').matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"(?:,|$)/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, key, text]) => [key ?? '', text ?? ''])),
        value: Number(value),
      };
    });
}

async function scrape(headers: Record<string, string> = {}): Promise<Sample[]> {
  const response = await send('GET', '/metrics', undefined, headers);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return samplesOf(await response.text());
}

/** Maps the name and the label values of each pool metric, joined by spaces, to its value. */
async function pool(): Promise<Record<string, number>> {
  const samples = await scrape();
  return Object.fromEntries(
    samples
      .filter(({ name }) => /^macbatch_(?!http_|database_)/.test(name))
      .map(({ name, labels, value }) => [[name, ...Object.values(labels)].join(' '), value]),
  );
}

beforeEach(() => expect(errors).toEqual([]));

async function beat(worker_id: string, offline = false): Promise<void> {
  const body = { hostname: 'h', job_types: ['noop'], models: ['noop'], concurrency: 1, lease_limit: 1 };
  await send('POST', '/v1/workers/heartbeat', { worker_id, boot_id: 'b', offline, ...body });
}

it('reports the release, and zero for every other metric of a new pool', async () => {
  const { [`macbatch_build_info ${VERSION} 2`]: build, ...rest } = await pool();
  expect(build).toBe(1);
  expect(Object.values(rest).filter((value) => value !== 0)).toEqual([]);
});

it('counts tasks, leases, items, workers and boots', async () => {
  const [done, broken, lost] = await leased(['a', 'b', 'c', 'd', 'e'], 3);
  if (done === undefined || broken === undefined || lost === undefined) throw new Error('nothing to lease');
  await db.sql`update leases set leased_at = now() - interval '100 s' where task_id = ${lost.task_id}`;
  await db.sql`update jobs set created_at = now() - interval '1 hour'`;
  await report([completed(done)]);
  const error = { code: 'broken', message: 'it broke' };
  for (let attempt = broken.attempt; attempt <= 3; attempt += 1) {
    await report([{ task_id: broken.task_id, attempt, outcomes: [], final: false, error }]);
    if (attempt < 3) {
      const leaseReply = await send('POST', '/v1/tasks/lease', { ...LEASE, lease_limit: 1 });
      const { tasks } = (await leaseReply.json()) as { tasks: { task_id: string }[] };
      expect(tasks).toMatchObject([{ task_id: broken.task_id }]);
    }
  }
  for (const worker of ['ann', 'bob', 'cid', 'dan']) await beat(worker, worker === 'dan');
  await db.sql`update workers set last_heartbeat_at = now() - interval '61 s' where id = 'cid'`;
  await db.sql`insert into boots (role, name, boot_id, pid, hostname, started_at, cwd, tmp_writable, verdict)
    values ('worker', 'ann', 'x', 1, 'h', now(), '/', true, 'first_seen'), ('worker', 'bob', 'y', 1, 'h', now(), '/', true, 'first_seen')`;

  const {
    macbatch_oldest_lease_age_seconds: leaseAge,
    macbatch_oldest_unfinished_job_age_seconds: jobAge,
    ...otherMetrics
  } = await pool();
  expect(leaseAge).toBeGreaterThanOrEqual(100);
  expect(leaseAge).toBeLessThan(700);
  expect(jobAge).toBeGreaterThanOrEqual(3600);
  expect(jobAge).toBeLessThan(4200);
  expect(otherMetrics).toEqual({
    [`macbatch_build_info ${VERSION} 2`]: 1,
    macbatch_jobs_unfinished: 1,
    'macbatch_tasks pending': 2,
    'macbatch_tasks leased': 1,
    'macbatch_tasks done': 1,
    'macbatch_tasks failed': 1,
    macbatch_leases_overdue: 0,
    macbatch_leases_granted_total: 5,
    macbatch_leases_expired_total: 0,
    macbatch_tasks_done_total: 1,
    macbatch_tasks_failed_total: 1,
    macbatch_items_ok_total: 1,
    macbatch_items_error: 0,
    macbatch_items_failed: 1,
    'macbatch_workers alive': 2,
    'macbatch_workers silent': 1,
    'macbatch_workers offline': 1,
    'macbatch_boots_total worker first_seen': 2,
  });

  // A scrape does not reclaim. Other requests do.
  await makeLeasesPass(db.sql);
  expect(await pool()).toMatchObject({ macbatch_leases_overdue: 1, macbatch_leases_expired_total: 0 });
  await send('POST', '/v1/admin/reclaim');
  expect(await pool()).toMatchObject({ macbatch_leases_overdue: 0, macbatch_leases_expired_total: 1 });

  const { id } = ((await (await send('GET', '/v1/jobs')).json()) as { jobs: { id: string }[] }).jobs[0] ?? {};
  await send('POST', `/v1/jobs/${id}/cancel`);
  await db.sql`update jobs set cancelled_at = now() - interval '1 year'`;
  expect(await pool()).toMatchObject({ macbatch_jobs_unfinished: 0, 'macbatch_tasks done': 0 });
  await send('POST', '/v1/admin/prune', { older_than_seconds: 60 });
  expect(await pool()).toMatchObject({
    macbatch_leases_granted_total: 5,
    macbatch_leases_expired_total: 1,
    macbatch_tasks_done_total: 1,
    macbatch_items_ok_total: 1,
    macbatch_items_failed: 0,
  });
});

it('reports the age of the oldest transaction and of transaction ids', async () => {
  const session = await db.sql.reserve();
  await session`begin`;
  await session`select pg_current_xact_id()`;
  const samples = await scrape();
  const sampleOf = (wanted: string) => samples.find(({ name }) => name === wanted)?.value;
  expect(sampleOf('macbatch_database_oldest_transaction_seconds')).toBeGreaterThan(0);
  expect(sampleOf('macbatch_database_transaction_id_age')).toBeGreaterThan(0);
  await session`rollback`;
  session.release();
});

it('counts requests by route pattern, without any user-given name in a label', async () => {
  const secret = 'sesame-street';
  const { id } = (await (
    await send('POST', '/v1/jobs', { ...JOB, model: secret, items: [{ id: secret, payload: secret }] })
  ).json()) as { id: string };
  await send('GET', `/v1/jobs/${id}`);
  await send('GET', '/v1/jobs/not-a-uuid');
  await send('GET', `/${secret}`);
  await send('FROB', `/v1/jobs/${id}`);
  await beat(secret);
  const samples = await scrape();
  const requests = samples
    .filter(({ name }) => name === 'macbatch_http_request_duration_seconds_count')
    .map(({ labels, value }) => [labels['method'], labels['route'], labels['status'], value].join(' '));
  expect(requests).toEqual(expect.arrayContaining(['GET /v1/jobs/:id 2xx 1', 'GET /v1/jobs/:id 4xx 1']));
  expect(requests.filter((text) => text.includes(' none '))).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^GET none 4xx/),
      expect.stringMatching(/^other none 4xx/),
    ]),
  );
  const text = JSON.stringify(samples);
  expect(text).not.toContain(secret);
  expect(text).not.toContain(id);
  const labels = new Set(
    samples
      .filter(({ name }) => name.startsWith('macbatch_'))
      .flatMap((sample) => Object.keys(sample.labels)),
  );
  const bounded = ['le', 'method', 'protocol', 'role', 'route', 'state', 'status', 'verdict', 'version'];
  expect([...labels].filter((label) => !bounded.includes(label))).toEqual([]);
});

it('admits metrics keys and admins, and the documentation lists every metric', async () => {
  const key = await keyFor(db.store, 'metrics');
  const admin = bearing(await keyFor(db.store, 'admin'));
  const app = await send('GET', '/v1/caller', undefined, admin);
  expect(await app.json()).toMatchObject({ version: VERSION, now: expect.stringMatching(/^\d{4}-.*Z$/) });
  // "No key exists" is cached for a second.
  await expect.poll(async () => (await send('GET', '/metrics')).status, { timeout: 10_000 }).toBe(401);
  for (const role of ['submit', 'worker'] as const) {
    const response = await send('GET', '/metrics', undefined, bearing(await keyFor(db.store, role)));
    expect(response.status).toBe(403);
  }
  await scrape(admin);
  const samples = await scrape(bearing(key));
  const documented = readFileSync(OPERATIONS, 'utf8');
  const names = new Set(samples.map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')));
  const missing = [...names].filter(
    (name) => name.startsWith('macbatch_') && !documented.includes(`\`${name}`),
  );
  expect(missing).toEqual([]);
});
