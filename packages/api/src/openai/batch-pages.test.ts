import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  anthropicRoutes,
  BatchObject,
  CreateBatch,
  CreateMessageBatch,
  FileObject,
  MessageBatchObject,
  openAiRoutes,
} from '@macbatch/contract';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);
/** The part of a page with the tables. */
function tablesOf(page: string): string {
  const text = readFileSync(new URL(`docs/${page}`, ROOT), 'utf8');
  return text.slice(text.indexOf('## Field by field'));
}

const openAi = tablesOf('openai-batch.md');
const anthropic = tablesOf('anthropic-batch.md');
const PAGES = [
  { page: 'openai-batch.md', tables: openAi, count: 8, minNamed: 40 },
  { page: 'anthropic-batch.md', tables: anthropic, count: 5, minNamed: 20 },
];

/** Test files by the name that the page gives them. */
const testFiles = new Map(
  globSync(['packages/{api,core}/src/{openai,anthropic,batches}/*.test.ts', 'tests/batches.test.ts'], {
    cwd: ROOT,
  }).map((path) => {
    const name = basename(path).replace(/(\.integration)?\.test\.ts$/, '');
    return [path.startsWith('tests') ? `tests/${name}` : name, readFileSync(new URL(path, ROOT), 'utf8')];
  }),
);

it.each(PAGES)('docs/$page names tests that exist', ({ tables, minNamed }) => {
  const named = [...tables.matchAll(/`([\w/-]+) › ([^`]+)`/g)];
  const missing = named.filter(([, file = '', title]) => !testFiles.get(file)?.includes(`A4: ${title}`));
  expect(missing.map(([text]) => text)).toEqual([]);
  expect(named.length).toBeGreaterThan(minNamed);
});

it.each(PAGES)('docs/$page has a test in every row of its tables', ({ tables, count }) => {
  const rows = tables.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
  const headers = rows.filter((line) => line.endsWith('| test |'));
  expect(rows.filter((row) => !headers.includes(row) && !row.includes(' › '))).toEqual([]);
  expect(headers).toHaveLength(count);
});

const pathsOf = (routes: Readonly<Record<string, { readonly method: string; readonly path: string }>>) =>
  Object.values(routes).map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/, '{id}')}`,
  );

it('docs/openai-batch.md describes every field and every route', () => {
  const fields = [BatchObject, CreateBatch, FileObject].flatMap((schema) => Object.keys(schema.shape));
  expect(fields.filter((field) => !openAi.includes(`\`${field}\``))).toEqual([]);
  const routes = pathsOf(openAiRoutes).filter((route) => /^\w+ \/v1\/(files|batches)/.test(route));
  expect(routes.filter((route) => !openAi.includes(`\`${route}\``))).toEqual([]);
  const statuses = BatchObject.shape.status.options;
  expect(statuses.filter((status) => !openAi.includes(`\`${status}\``))).toEqual([]);
});

it('docs/anthropic-batch.md describes every field and every route', () => {
  const { request_counts: counts, processing_status: status } = MessageBatchObject.shape;
  const fields = [MessageBatchObject, CreateMessageBatch, counts].flatMap((schema) =>
    Object.keys(schema.shape),
  );
  const named = [...fields, ...status.options, ...pathsOf(anthropicRoutes)];
  expect(named.filter((name) => !anthropic.includes(`\`${name}\``))).toEqual([]);
});
