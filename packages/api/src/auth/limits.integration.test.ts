import { expect, it } from 'vitest';
import { fileApp, JOB, LEASE, NDJSON } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const file = fileApp({
  open: false,
  limits: { requestsPerSecond: 2, streams: 2, bodyIdleMs: 50 },
  quota: { items: 5, payloadBytes: 1000 },
});
const { db, send, refused } = file;
const items = (count: number, payload: unknown = 1) =>
  Array.from({ length: count }, (_, n) => ({ id: String(n), payload }));

it('answers a key with too many requests with the time to retry, and does not delay other keys', async () => {
  const busy = await keyFor(db.store, 'submit');
  const calm = await keyFor(db.store, 'submit');
  const statuses: number[] = [];
  for (let n = 0; n < 21; n += 1)
    statuses.push((await send('GET', '/v1/jobs', undefined, bearing(busy))).status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  const response = await send('GET', '/v1/jobs', undefined, bearing(busy));
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ code: 'too_many_requests', status: 429 });
  expect((await send('GET', '/v1/jobs', undefined, bearing(calm))).status).toBe(200);
});

it('limits the attempts of an address that guesses keys', async () => {
  const guess = `mbk_0123456789abcdef_${'a'.repeat(43)}`;
  const statuses = new Set<number>();
  for (let n = 0; n < 31; n += 1)
    statuses.add((await send('GET', '/v1/jobs', undefined, bearing(guess))).status);
  expect(statuses).toEqual(new Set([401, 429]));
});

it('limits the open streams of a key and releases closed ones', async () => {
  const key = await keyFor(db.store, 'worker');
  const disconnect = new AbortController();
  const wait = () =>
    file.app.request('/v1/tasks/lease', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearing(key) },
      body: JSON.stringify({ ...LEASE, wait_seconds: 30 }),
      signal: disconnect.signal,
    });
  const waiting = [wait(), wait()];
  // A third request is refused only when both are waiting.
  for (;;) {
    const third = await send('POST', '/v1/tasks/lease', { ...LEASE, wait_seconds: 0.01 }, bearing(key));
    if (third.status === 429) {
      expect(third.headers.get('retry-after')).toBe('1');
      break;
    }
  }
  disconnect.abort();
  await Promise.allSettled(waiting);
  const again = await send('POST', '/v1/tasks/lease', { ...LEASE, wait_seconds: 0.01 }, bearing(key));
  expect(again.status).toBe(200);
});

it('limits the unfinished items and bytes of a group over all its jobs, and a cancelled job frees its share', async () => {
  const key = await keyFor(db.store, 'submit', { group: 'us' });
  const other = await keyFor(db.store, 'submit', { group: 'them' });
  const submit = (count: number, who = key, payload: unknown = 1) =>
    send('POST', '/v1/jobs', { ...JOB, items: items(count, payload) }, bearing(who));
  const first = await submit(3);
  expect(first.status).toBe(201);
  const full = await refused(() => submit(3));
  expect(full).toMatchObject({ status: 429, code: 'quota_exceeded' });
  expect((await submit(2)).status).toBe(201);
  expect((await submit(5, other)).status).toBe(201);
  const { id } = (await first.json()) as { id: string };
  await send('POST', `/v1/jobs/${id}/cancel`, undefined, bearing(key));
  const heavy = await refused(() => submit(1, key, 'x'.repeat(2000)));
  expect(heavy).toMatchObject({ status: 429, code: 'quota_exceeded' });
  expect((await submit(3)).status).toBe(201);
});

it('A3: answers 408 and stores nothing when a body stops arriving', async () => {
  const key = await keyFor(db.store, 'submit');
  const stalled = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(`${JSON.stringify(JOB)}\n{"id":"a","payload":1}\n`));
      },
    });
  for (const headers of [NDJSON, { 'content-type': 'application/json' }]) {
    const problem = await refused(() => send('POST', '/v1/jobs', stalled(), { ...bearing(key), ...headers }));
    expect(problem).toMatchObject({ status: 408, code: 'request_timeout' });
  }
});

it('refuses a body with a content encoding, so that no compressed body can expand', async () => {
  const key = await keyFor(db.store, 'submit');
  const gzip = { ...bearing(key), 'content-encoding': 'gzip' };
  for (const path of ['/v1/jobs', '/v1/jobs/01a22849-568c-7422-8464-443b29d20bb5/retry']) {
    const problem = await refused(() => send('POST', path, '{}', gzip));
    expect([404, 415]).toContain(problem.status);
  }
  expect(await refused(() => send('POST', '/v1/jobs', '{}', gzip))).toMatchObject({ status: 415 });
});
