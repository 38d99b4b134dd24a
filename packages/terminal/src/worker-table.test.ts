import { WorkerView } from '@macbatch/contract';
import { WORKER_STATES } from '@macbatch/core';
import { describe, expect, it } from 'vitest';
import { workerTable } from './worker-table.ts';

/** A worker as a control plane of an earlier release describes it. */
const OLD = {
  worker_id: 'mac-1',
  hostname: 'mac-1.local',
  job_types: ['chat'],
  models: ['qwen3', 'llama'],
  concurrency: 4,
  lease_limit: 8,
  rates: [
    { job_type: 'chat', model: 'qwen3', items_per_second: 2.5 },
    { job_type: 'generate', model: 'qwen3', items_per_second: 9 },
  ],
  alive: true,
  offline: false,
  first_seen_at: '2026-03-02T08:00:00.000Z',
  last_heartbeat_at: '2026-03-02T08:59:55.000Z',
  tasks_leased: 0,
  tasks_done: 1204,
  tasks_failed: 2,
};
const QWEN = { job_type: 'chat', model: 'qwen3' };
const WORKING = {
  ...OLD,
  state: 'working',
  heartbeat_age_seconds: 5,
  tasks_leased: 3,
  running: [{ ...QWEN, tasks: 3 }],
  oldest_lease_seconds: 34,
};
const IDLE = { ...OLD, state: 'no_open_job', heartbeat_age_seconds: 5, last_ran: QWEN };

const draw = (...workers: object[]) => workerTable(workers.map((worker) => WorkerView.parse(worker)));
/** Returns the cells of one worker by column name. */
function row(worker: object): Record<string, string> {
  const [head = '', line = ''] = draw(worker).split('\n');
  const columns = head.split(/ {2,}/).map((name) => name.trim());
  const cells = line.split(/ {2,}/).map((cell) => cell.trim());
  return Object.fromEntries(columns.map((name, n) => [name, cells[n] ?? '']));
}

it('replaces control characters in model names', () => {
  const evil = { job_type: 'chat', model: 'qwen3\u001b[2J\u009b31m' };
  const text = draw({ ...IDLE, last_ran: evil }, { ...IDLE, state: 'no_job_for_its_models', wanted: [evil] });
  expect(text).toContain('last qwen3\ufffd[2J\ufffd31m');
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

it('draws one row for each worker', () => {
  const silent = { ...IDLE, worker_id: 'mac-3', alive: false, state: 'silent', heartbeat_age_seconds: 900 };
  expect(`\n${draw(WORKING, { ...IDLE, worker_id: 'mac-2' }, silent)}`).toMatchInlineSnapshot(`
    "
    worker  state    model       items/s  tasks held  lease age   done  failed  why idle
    mac-1   working  qwen3       2.50              3  34 s       1,204       2
    mac-2   idle     last qwen3  2.50              0  –          1,204       2  no open job
    mac-3   silent   last qwen3  2.50              0  –          1,204       2  no heartbeat for 15 min"
  `);
});

it('shows model, rate, tasks and oldest lease of a working worker', () => {
  expect(row(WORKING)).toMatchObject({
    state: 'working',
    model: 'qwen3',
    'items/s': '2.50',
    'tasks held': '3',
    'lease age': '34 s',
  });
  expect(row({ ...WORKING, tasks_leased: 0 })['why idle']).toBe('runs copies of tasks of other workers');
  const two = { ...WORKING, running: [...WORKING.running, { job_type: 'chat', model: 'llama', tasks: 1 }] };
  expect(row(two)).toMatchObject({ model: 'qwen3, llama', 'items/s': '2.50, –' });
});

it('shows the words of a model server that does not answer', () => {
  const message = 'the model server 127.0.0.1:8080 is not reachable (ECONNREFUSED)';
  const trouble = { ...QWEN, endpoint: 'x', code: 'server_unreachable', message, since_seconds: 3 };
  const troubles = [{ ...trouble, next_try_seconds: 2, needs_attention: false }];
  const cells = row({ ...WORKING, state: 'nothing_offered', troubles });
  expect(cells['state']).toBe('waiting');
  expect(cells['why idle']).toContain(message);
});

describe('why idle', () => {
  const cases: [string, object, string][] = [
    ['offline', { alive: false, offline: true, heartbeat_age_seconds: 7200 }, 'said goodbye 2.0 h ago'],
    ['silent', { alive: false, heartbeat_age_seconds: 900 }, 'no heartbeat for 15 min'],
    ['nothing_offered', {}, 'offers no model: is its model server running?'],
    ['no_open_job', {}, 'no open job'],
    ['no_job_for_its_models', {}, 'open jobs want other models'],
    ['no_job_for_its_models', { wanted: [QWEN] }, 'open jobs want chat with qwen3'],
    [
      'no_job_for_its_models',
      { wanted: [QWEN, { ...QWEN, model: 'b' }, { ...QWEN, model: 'c' }, { ...QWEN, model: 'd' }] },
      'open jobs want chat with qwen3, chat with b, chat with c, …',
    ],
    ['everything_leased', {}, 'other workers hold all of its tasks'],
    ['work_waits', {}, 'about to ask for work'],
  ];
  it.each(cases)('%s', (state, over, why) => {
    expect(row({ ...IDLE, state, ...over })).toMatchObject({
      model: 'last qwen3',
      'lease age': '–',
      'why idle': why,
    });
  });

  it('has a text for every state except working', () => {
    expect(new Set(['working', ...cases.map(([state]) => state)])).toEqual(new Set(WORKER_STATES));
  });
});

it('shows what it can when the control plane is of an earlier release', () => {
  expect(row(OLD)).toMatchObject({ state: 'alive', model: '–', 'items/s': '–', done: '1,204' });
});
