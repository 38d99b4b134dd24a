import { z } from '@hono/zod-openapi';
import { type RouteName, routes, schemasOf } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { fileApp } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';
import { EXAMPLES, type Example } from '../testing/route-examples.ts';

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
