import type { LeasedTask } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { completed, fileApp, LEASE, NDJSON } from '../testing/file-app.ts';

const control = fileApp();

const PAYLOADS: readonly (readonly [name: string, text: string])[] = [
  ['an escaped NUL', '"\\u0000"'],
  ['an escaped lone surrogate', '"\\ud800"'],
  ['1e400', '1e400'],
  ['2^63', '9223372036854775808'],
  ['-0 and 1.10', '[-0,1.10]'],
  ['30 levels', `${'[{"a":'.repeat(15)}1${'}]'.repeat(15)}`],
  ['1 MB of text', `"${'é\\n'.repeat(250_000)}"`],
  ['key order and a key twice', '{"b":1,"a":2,"b":3}'],
  ['spaces', '{ "a" :\t[ 1 , 2 ] }'],
  ['line separators', '"\u2028\u2029\u0085"'],
  ['emoji and right-to-left marks', '"👩🏽‍💻 \u202eabc\u202c \u200f"'],
  ['null', 'null'],
];
const IDS = [
  '👩🏽‍💻',
  '\u202eright to left\u202c \u200f',
  'é',
  'e\u0301',
  ' ',
  '\t',
  'NULL',
  '{a,"b"}',
  '\\',
  '%00',
  '\u2028',
  '日本',
];
const LINES = PAYLOADS.map(([, payload], n) => `{"id":${JSON.stringify(IDS[n])},"payload":${payload}}`);
const HEAD = '"job_type":"noop","model":"noop","shard_size":100,"params":{"b":1e400,"a":"\\u0000"}';

it.each([
  ['JSON', `{${HEAD},"items":[${LINES.join(' , ')}]}`, 'application/json; charset=utf-8'],
  ['NDJSON', `\ufeff{${HEAD}}\r\n\n${LINES.join('\r\n')}`, NDJSON['content-type']],
])('I7: passes payloads sent as %s to the worker and back byte for byte', async (_kind, body, type) => {
  const submitted = await control.send('POST', '/v1/jobs', body, { 'content-type': type });
  expect(submitted.status).toBe(201);
  const view = await submitted.text();
  expect(view).toContain('"params":{"b":1e400,"a":"\\u0000"}');
  const { id } = JSON.parse(view) as { id: string };
  const { tasks } = (await (await control.send('POST', '/v1/tasks/lease', LEASE)).json()) as {
    tasks: LeasedTask[];
  };
  const [task] = tasks;
  if (task === undefined) throw new Error('nothing to lease');
  expect(task.params).toBe('{"b":1e400,"a":"\\u0000"}');
  expect(task.items).toEqual(PAYLOADS.map(([, payload], n) => ({ item_id: IDS[n], payload })));

  const outcomes = task.items.map(({ item_id, payload }) => ({ item_id, output: payload }));
  expect(await control.report([{ ...completed(task), outcomes }])).toMatchObject([{ outcome: 'accepted' }]);
  const results = await control.send('GET', `/v1/jobs/${id}/results`);
  const lines = (await results.text()).split('\n').filter((line) => line !== '');
  expect(lines).toHaveLength(PAYLOADS.length);
  for (const [n, [name, payload]] of PAYLOADS.entries()) {
    const start = `{"id":${JSON.stringify(IDS[n])},"status":"ok","output":${payload},"model":`;
    expect(lines[n]?.startsWith(start), name).toBe(true);
    const one = await control.send(
      'GET',
      `/v1/jobs/${id}/results?item_id=${encodeURIComponent(IDS[n] ?? '')}`,
    );
    expect(await one.text()).toBe(`${lines[n]}\n`);
  }
});
