import { rowCounts } from '@macbatch/store/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { completed, fileApp, LEASE } from '../testing/file-app.ts';

const control = fileApp({ limits: { maxJsonBytes: 6_000_000, maxLineBytes: 5_600_000 } });
const { send, refused } = control;

afterAll(async () => {
  expect(control.errors).toEqual([]);
});

describe('A3: answers each entry of a report separately', () => {
  it('accepts 99 good entries in a report with a bad one', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `item-${n}`);
    const tasks = await control.leased(ids);
    const entries = tasks.map((task, n) =>
      n === 41 ? { ...completed(task), outcomes: [{ item_id: 7 }] } : completed(task),
    );
    const replies = await control.report(entries);
    for (const [n, reply] of replies.entries()) {
      expect(reply).toMatchObject({
        task_id: tasks[n]?.task_id,
        ...(n === 41
          ? { outcome: 'refused', code: 'invalid_entry' }
          : { outcome: 'accepted', task_status: 'done' }),
      });
    }
    expect(await rowCounts(control.db.sql)).toMatchObject({ results: 99 });
  });

  it.each<[string, (good: ReturnType<typeof completed>) => unknown, string]>([
    ['an unknown task', (good) => ({ ...good, task_id: '9999' }), 'not_found'],
    [
      'a task id beyond what a database can count',
      (good) => ({ ...good, task_id: '9999999999999999999' }),
      'invalid_entry',
    ],
    ['an attempt from the future', (good) => ({ ...good, attempt: 2 }), 'not_leased'],
    ['attempt 0', (good) => ({ ...good, attempt: 0 }), 'not_leased'],
    [
      'an item of another task',
      (good) => ({ ...good, outcomes: [...good.outcomes, { item_id: 'c', output: '1' }] }),
      'unknown_item',
    ],
    [
      'an item with U+0000',
      (good) => ({ ...good, outcomes: [...good.outcomes, { item_id: 'a\u0000', output: '1' }] }),
      'unknown_item',
    ],
    [
      'an item with a lone surrogate',
      (good) => ({ ...good, outcomes: [...good.outcomes, { item_id: '\ud800', output: '1' }] }),
      'unknown_item',
    ],
    [
      'the same item twice',
      (good) => ({ ...good, outcomes: [...good.outcomes, ...good.outcomes] }),
      'duplicate_item',
    ],
    [
      'an item missing though final',
      (good) => ({ ...good, outcomes: good.outcomes.slice(1) }),
      'missing_items',
    ],
    [
      'an output that is not JSON',
      (good) => ({ ...good, outcomes: [{ item_id: 'a', output: 'yes' }] }),
      'invalid_output',
    ],
    [
      'an output with a lone surrogate',
      (good) => ({ ...good, outcomes: [{ item_id: 'a', output: '"\ud800"' }] }),
      'invalid_output',
    ],
    [
      'an output with a newline',
      (good) => ({ ...good, outcomes: [{ item_id: 'a', output: '[1,\n2]' }] }),
      'invalid_output',
    ],
    [
      'an output and an error',
      (good) => ({ ...good, outcomes: [{ item_id: 'a', output: '1', error: { code: 'x', message: '' } }] }),
      'invalid_entry',
    ],
    [
      'an outcome with neither output nor error',
      (good) => ({ ...good, outcomes: [{ item_id: 'a' }] }),
      'invalid_entry',
    ],
    ...['yes', '{"a":\n1}', '{}},"x":{"a":1'].map(
      (body): [string, (good: ReturnType<typeof completed>) => unknown, string] => [
        `an error whose response has the body ${JSON.stringify(body)}`,
        (good) => {
          const error = { code: 'x', message: '', response: { status_code: 400, body } };
          return { ...good, outcomes: [{ item_id: 'a', error }] };
        },
        'invalid_output',
      ],
    ),
    ['a huge attempt', (good) => ({ ...good, attempt: 1e300 }), 'invalid_entry'],
    ['a string for an entry', () => 'entry', 'invalid_entry'],
    ['null for an entry', () => null, 'invalid_entry'],
    ['an array for an entry', () => [[]], 'invalid_entry'],
  ])('refuses %s and accepts the other entry of the report', async (_what, change, code) => {
    const tasks = await control.leased(['a', 'b', 'c', 'd'], 2, 2);
    const [first, second] = tasks.map((task) => completed(task));
    if (first === undefined || second === undefined) throw new Error('nothing to lease');
    const replies = await control.report([change(first), second]);
    expect(replies).toMatchObject([
      { outcome: 'refused', code },
      { outcome: 'accepted', task_status: 'done' },
    ]);
    expect(await rowCounts(control.db.sql)).toMatchObject({ results: 2 });
  });

  it('refuses a worker that completes a task it never leased', async () => {
    const tasks = await control.leased(['a', 'b']);
    const replies = await control.report(
      tasks.map((task) => completed(task)),
      'bob',
    );
    expect(replies).toMatchObject(tasks.map(() => ({ outcome: 'refused', code: 'not_leased' })));
    expect(await rowCounts(control.db.sql)).toMatchObject({ results: 0 });
  });

  it.each<[string, string, unknown]>([
    ['complete_batch without entries', '/v1/tasks/complete_batch', { worker_id: 'ann', entries: [] }],
    ['complete_batch with an array', '/v1/tasks/complete_batch', []],
    ['complete_batch that is not JSON', '/v1/tasks/complete_batch', '{'],
    ['a worker id with a space', '/v1/tasks/lease', { ...LEASE, worker_id: 'a b' }],
    ['a lease limit of 0', '/v1/tasks/lease', { ...LEASE, lease_limit: 0 }],
    ['a lease limit of 1e9', '/v1/tasks/lease', { ...LEASE, lease_limit: 1e9 }],
    ['a wait of a day', '/v1/tasks/lease', { ...LEASE, wait_seconds: 86_400 }],
    ['no offers', '/v1/tasks/lease', { ...LEASE, offers: [] }],
    ['a heartbeat without a hostname', '/v1/workers/heartbeat', { worker_id: 'ann', boot_id: 'b' }],
    ['a release of nothing', '/v1/tasks/release', { worker_id: 'ann', tasks: [] }],
  ])('refuses an unreadable envelope whole: %s', async (_what, path, body) => {
    await refused(() => send('POST', path, body));
  });

  it('answers a task id beyond 64 bits in a release and a renewal', async () => {
    const lease = { task_id: '9999999999999999999', attempt: 1 };
    const release = await send('POST', '/v1/tasks/release', { worker_id: 'ann', tasks: [lease] });
    expect(release.status).toBeLessThan(500);
    const heartbeat = {
      worker_id: 'ann',
      boot_id: 'b',
      hostname: 'h',
      job_types: [],
      models: [],
      concurrency: 1,
      lease_limit: 1,
    };
    const renewed = await send('POST', '/v1/workers/heartbeat', { ...heartbeat, renew: [lease] });
    expect(renewed.status).toBeLessThan(500);
  });
});
