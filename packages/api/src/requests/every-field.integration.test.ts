import { z } from '@hono/zod-openapi';
import { type RouteName, routes, schemasOf } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { fileApp, HEARTBEAT, JOB, LEASE } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const open = fileApp();
const keyed = fileApp({ open: false });

/** Routes that a control plane without keys refuses. */
const KEY_ROUTES: readonly RouteName[] = [
  'createKey',
  'createSession',
  'listKeys',
  'revokeKey',
  'createJoinToken',
  'joinWorker',
];

/** The headers of a caller who may use a route of a control plane with keys. */
async function authorization(name: RouteName): Promise<Record<string, string>> {
  const admin = bearing(await keyFor(keyed.db.store, 'admin'));
  if (name !== 'joinWorker') return admin;
  const reply = await keyed.send('POST', routes.createJoinToken.path, {}, admin);
  return bearing(((await reply.json()) as { readonly token: string }).token);
}

const ID = '00000000-0000-7000-8000-000000000000';
const LEASE_NAME = { task_id: '1', attempt: 1 };
const RESPONSE = { status_code: 400, request_id: 'req_1', body: '{}' };
const ERROR = { code: 'broken', message: 'it broke' };
const OUTCOME = { item_id: 'a', model: { name: 'm', digest: 'd' }, usage: { input_tokens: 1 } };

interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A valid request of every route, with every field that the contract has. */
const EXAMPLES: { readonly [Name in RouteName]: Example } = {
  submitJob: {
    headers: { 'idempotency-key': 'key' },
    body: {
      ...JOB,
      params: { a: 1 },
      shard_size: 2,
      retry_on: 'errors',
      priority: 1,
      reuse: 'ledger',
      name: 'reviews.csv',
      items: [{ id: 'a', payload: { b: 1 } }],
    },
  },
  listJobs: {
    query: {
      limit: '1',
      before: ID,
      sort: 'open',
      state: 'queued,failed',
      type: 'noop',
      model: 'm',
      group: 'g',
      q: 'a',
    },
  },
  readJob: { params: { id: ID } },
  explainJob: { params: { id: ID } },
  readResults: { params: { id: ID }, query: { item_id: 'a', status: 'ok', after: '0', until_open: 'true' } },
  listItems: {
    params: { id: ID },
    query: { state: 'ok', failure: '0a1b2c3d', q: 'a', after: '1', limit: '1' },
  },
  readItem: { params: { id: ID }, query: { item_id: 'a', seq: '1' } },
  cancelJob: { params: { id: ID } },
  auditJob: { params: { id: ID } },
  countKnownKeys: { body: { keys: ['0'.repeat(64)] } },
  retryJob: { params: { id: ID }, body: { items: true, failure: '0a1b2c3d' } },
  listFailures: { params: { id: ID } },
  listEvents: { query: { job: ID, worker: 'ann', kind: 'task_error', limit: '1', before: '1' } },
  leaseTasks: {
    body: {
      ...LEASE,
      slots: 1,
      offers: [{ ...JOB, items_per_second: 1, loaded: true, load_seconds: 1 }],
      holds: [LEASE_NAME],
      renews: true,
      copies: true,
      wait_seconds: 0,
    },
  },
  completeBatch: {
    body: {
      worker_id: 'ann',
      entries: [
        {
          ...LEASE_NAME,
          outcomes: [
            { ...OUTCOME, output: '1', request_id: 'req_1' },
            { ...OUTCOME, error: { ...ERROR, response: RESPONSE } },
          ],
          final: false,
          error: ERROR,
        },
      ],
    },
  },
  releaseTasks: { body: { worker_id: 'ann', tasks: [{ ...LEASE_NAME, rejected: true }] } },
  heartbeat: {
    body: {
      ...HEARTBEAT,
      rates: [{ ...JOB, items_per_second: 1, loaded: true }],
      offline: false,
      former_boot_ids: ['old'],
      return_former: true,
      suspects: [{ ...LEASE_NAME, item_id: 'a' }],
      renew: [LEASE_NAME],
      troubles: [
        {
          ...JOB,
          endpoint: 'http://127.0.0.1:1',
          code: 'unauthorized',
          message: 'no key',
          since_seconds: 1,
          next_try_seconds: 1,
        },
      ],
      unreported: [LEASE_NAME],
    },
  },
  listWorkers: {},
  reportBoot: {
    body: {
      role: 'worker',
      name: 'ann',
      boot: {
        boot_id: 'b',
        pid: 1,
        hostname: 'h',
        started_at: '2026-01-01T00:00:00Z',
        cwd: '/',
        tmp_writable: true,
      },
      previous_boot_id: 'a',
    },
  },
  streamChanges: { query: { topics: `jobs,workers,events,job:${ID}` } },
  readThroughput: {
    query: {
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-01T01:00:00Z',
      step: '60',
      by: 'worker',
      job: ID,
      worker: 'ann',
      model: 'm',
    },
  },
  pauseWorker: {
    params: { id: 'ann' },
    body: { reason: 'holidays', until: '2999-01-01T00:00:00Z', drain: true },
  },
  resumeWorker: { params: { id: 'ann' } },
  listBoots: { query: { name: 'ann', limit: '1' } },
  reclaim: {},
  prune: { body: { older_than_seconds: 1, row_limit: 1, dry_run: true } },
  readDatabase: {},
  readCaller: {},
  createKey: { body: { name: 'n', role: 'worker', group: 'g', worker_id: 'ann', expires_in_days: 1 } },
  listKeys: {},
  revokeKey: { params: { id: '0123456789abcdef' } },
  createJoinToken: { body: { worker_id: 'ann', expires_in_minutes: 1 } },
  createSession: {},
  endSession: {},
  joinWorker: { body: { worker_id: 'ann' } },
};

/** Values that databases, dates and parsers trip over. */
const ODD_VALUES = [
  null,
  true,
  '',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'é'.repeat(300),
  'x'.repeat(100_000),
  '-1',
  '9'.repeat(19),
  '1'.repeat(400),
  'NaN',
  '../..',
  -1,
  0.5,
  32_768,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  1e308,
  Number.MIN_VALUE,
  [],
  {},
  [[[]]],
  '0000-00-00T00:00:00Z',
  '+275760-09-13T00:00:00Z',
];

/** JSON texts that `JSON.stringify` cannot write. Each replaces the placeholder `"RAW"` in a body. */
const ODD_TEXTS = [
  '1e400',
  '-1e400',
  '-0',
  '1E+2',
  '123456789012345678901234567890',
  '{"a":1,"a":2}',
  '"\\ud800"',
];

type Path = readonly (string | number)[];

/** The paths of all values in a JSON value, itself included. */
function pathsIn(value: unknown): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner).map((rest) => [key, ...rest])),
  ];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((each, n) => (String(n) === key ? replaced(each, rest, by) : each));
  const record = { ...(value as Readonly<Record<string, unknown>>) };
  return { ...record, [key]: replaced(record[key], rest, by) };
}

/** The names of the properties of a JSON schema at each path, as `entries.outcomes.item_id`. */
function fieldsOf(schema: unknown, prefix = ''): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties, items, anyOf } = schema as { properties?: object; items?: unknown; anyOf?: unknown[] };
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, inner]) => [
      `${prefix}${name}`,
      ...fieldsOf(inner, `${prefix}${name}.`),
    ]),
    ...fieldsOf(items, prefix),
    ...(anyOf ?? []).flatMap((inner) => fieldsOf(inner, prefix)),
  ];
}

function pathOf(name: RouteName, { params, query }: Example): string {
  const path = routes[name].path.replaceAll(/\{(\w+)\}/g, (_, part: string) =>
    encodeURIComponent(params?.[part] ?? ''),
  );
  return query === undefined ? path : `${path}?${new URLSearchParams(query).toString()}`;
}

/** Percent-encodes any text, and a lone surrogate as the bytes that no UTF-8 text contains. */
const RAW_PARTS = [
  '%00',
  'a%00b',
  '%ff',
  '%ED%A0%80',
  '',
  '%2e%2e%2f',
  '9'.repeat(400),
  '1e400',
  '-1',
  'x'.repeat(7000),
];

const names = Object.keys(EXAMPLES) as RouteName[];

it('A3: the examples have every field of the contract', () => {
  for (const name of names) {
    const { params, query, body } = schemasOf(routes[name]);
    const json = (schema: z.ZodType | undefined) =>
      schema === undefined ? {} : z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const present = (value: unknown) =>
      pathsIn(value).map((path) => path.filter((key) => Number.isNaN(Number(key))).join('.'));
    const example = EXAMPLES[name];
    expect(present(example.params), name).toEqual(expect.arrayContaining([...fieldsOf(json(params))]));
    expect(present(example.query), name).toEqual(expect.arrayContaining([...fieldsOf(json(query))]));
    expect(present(example.body), name).toEqual(expect.arrayContaining([...fieldsOf(json(body))]));
  }
});

it.each(names)('A3: no value of a field of %s causes a server error', async (name) => {
  const example = EXAMPLES[name];
  const method = routes[name].method.toUpperCase();
  const path = pathOf(name, example);
  const control = KEY_ROUTES.includes(name) ? keyed : open;
  const headers = { ...example.headers, ...(control === keyed ? await authorization(name) : {}) };
  const holds = async (at: string, body?: string) => {
    const response = await control.send(method, at, body, headers);
    const isEndless = response.headers.get('content-type') === 'text/event-stream';
    const text = isEndless ? '' : await response.text();
    if (isEndless) await response.body?.cancel();
    expect(response.status, `${at} ${body?.slice(0, 300)} ${text.slice(0, 300)}`).toBeLessThan(500);
    if (!response.ok)
      expect(JSON.parse(text)).toMatchObject({ status: response.status, code: expect.any(String) });
  };
  await holds(path, example.body === undefined ? undefined : JSON.stringify(example.body));
  for (const part of RAW_PARTS) {
    for (const key of Object.keys(example.params ?? {})) {
      const marked = pathOf(name, { ...example, params: { ...example.params, [key]: 'RAW' } });
      await holds(
        marked.replace('RAW', part),
        example.body === undefined ? undefined : JSON.stringify(example.body),
      );
    }
    for (const key of Object.keys(example.query ?? {})) {
      await holds(
        pathOf(name, { ...example, query: { ...example.query, [key]: 'RAW' } }).replace('RAW', part),
      );
    }
  }
  if (example.body === undefined) return;
  for (const at of pathsIn(example.body)) {
    for (const value of ODD_VALUES) await holds(path, JSON.stringify(replaced(example.body, at, value)));
    for (const text of ODD_TEXTS)
      await holds(path, JSON.stringify(replaced(example.body, at, 'RAW')).replace('"RAW"', text));
  }
  expect(control.errors).toEqual([]);
});
