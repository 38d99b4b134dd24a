import type { JobView } from '@macbatch/contract';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { fileApp, HEARTBEAT, JOB, LEASE } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const { db, errors, send, refused } = fileApp({ open: false });

interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Opens a stream and waits until it is ready. */
async function listen(topics: string, key: string) {
  const response = await send('GET', `/v1/stream?topics=${topics}`, undefined, bearing(key));
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('The stream has no body.');
  onTestFinished(() => reader.cancel().catch(() => undefined));
  let text = '';
  /** The next event; null at the end of the stream. */
  const next = async (): Promise<ServerEvent | null> => {
    for (;;) {
      const [block, ...rest] = text.split('\n\n');
      if (rest.length > 0) {
        text = rest.join('\n\n');
        const event = /^event: (.*)$/m.exec(block ?? '')?.[1];
        if (event !== undefined)
          return { event, data: JSON.parse(/^data: (.*)$/m.exec(block ?? '')?.[1] ?? 'null') };
        continue;
      }
      const { value, done } = await reader.read();
      if (done) return null;
      text += value;
    }
  };
  /** Reads until this event has come. */
  const until = async (wanted: string): Promise<unknown> => {
    for (;;) {
      const event = await next();
      if (event === null) throw new Error(`The stream ended before ${wanted}.`);
      if (event.event === wanted) return event.data;
    }
  };
  await until('ready');
  return { next, until, reader };
}

let ours: string;
let theirs: string;
let admin: string;
beforeEach(async () => {
  ours = await keyFor(db.store, 'submit', { group: 'us' });
  theirs = await keyFor(db.store, 'submit', { group: 'them' });
  admin = await keyFor(db.store, 'admin', { group: 'root' });
});

async function submit(key: string): Promise<string> {
  const response = await send('POST', '/v1/jobs', { ...JOB, items: [{ id: 'a', payload: 1 }] }, bearing(key));
  return ((await response.json()) as JobView).id;
}

/** Changes something until the stream says so: its first reading may still be under way. */
async function untilTold(change: () => Promise<unknown>, told: Promise<unknown>): Promise<unknown> {
  let isTold = false;
  const done = told.finally(() => {
    isTold = true;
  });
  while (!isTold) {
    await change();
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 300))]);
  }
  return done;
}

it('tells of new jobs, of changes of one job, of workers and of events', async () => {
  const id = await submit(ours);
  const list = await listen('jobs', ours);
  const one = await listen(`job:${id},workers`, ours);
  const events = await listen('events', ours);
  const told = Promise.all([
    list.until('jobs-changed'),
    one.until('job-changed'),
    events.until('events-changed'),
  ]);
  const workers = one.reader;
  expect(workers).toBeDefined();
  const [jobs, job] = (await untilTold(async () => {
    await send('POST', '/v1/tasks/lease', LEASE, bearing(admin));
    await send('POST', `/v1/jobs/${id}/cancel`, undefined, bearing(ours));
    await db.sql`insert into events (kind, job_id) values ('job_cancelled', ${id})`;
    await db.sql`update job_tallies set last_at = now()`;
  }, told)) as [{ ids: string[] }, { id: string }];
  expect(jobs.ids).toContain(id);
  expect(job).toEqual({ id });
});

it('tells of a worker that joins or is paused', async () => {
  const stream = await listen('workers', ours);
  let n = 0;
  const data = await untilTold(async () => {
    n += 1;
    await send('POST', '/v1/workers/heartbeat', { ...HEARTBEAT, worker_id: `mac-${n}` }, bearing(admin));
  }, stream.until('workers-changed'));
  expect(data).toMatchObject({ ids: expect.arrayContaining([expect.stringMatching(/^mac-/)]) });
});

it('tells a group of its own jobs only', async () => {
  const stream = await listen('jobs', theirs);
  let foreign = '';
  const data = (await untilTold(async () => {
    foreign = await submit(ours);
    await submit(theirs);
  }, stream.until('jobs-changed'))) as { ids: string[] };
  expect(data.ids).not.toContain(foreign);
  const { jobs } = await db.store.listJobs({ owner: 'them', limit: 100 });
  expect(jobs.map(({ id }) => id)).toEqual(expect.arrayContaining(data.ids));
});

it('ends the stream of a key that is revoked, and of a session that has ended', async () => {
  const reply = await send('POST', '/v1/sessions', {}, bearing(theirs));
  const { session } = (await reply.json()) as { session: string };
  const withSession = await listen('jobs', session);
  const withKey = await listen('jobs', ours);
  await db.store.keys.revoke(theirs.slice(4, 20));
  await db.store.keys.revoke(ours.slice(4, 20));
  for (const { next } of [withSession, withKey]) while ((await next()) !== null);
});

it.each(['', 'topics=', 'topics=jobs,,', 'topics=job:7', 'topics=everything'])(
  'A3: refuses the query "%s"',
  async (query) => {
    const problem = await refused(() => send('GET', `/v1/stream?${query}`, undefined, bearing(ours)));
    expect(problem).toMatchObject({ code: 'invalid_field' });
  },
);

it('no request caused an internal error', () => {
  expect(errors).toEqual([]);
});
