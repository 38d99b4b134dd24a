import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { BatchObject, CreateBatch, FileObject, openAiRoutes } from '@macbatch/contract';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);
const page = readFileSync(new URL('docs/openai-batch.md', ROOT), 'utf8');
const table = page.slice(page.indexOf('## Field by field'));

/** Test files by the name that the page gives them. */
const testFiles = new Map(
  globSync(['packages/{api,core}/src/{openai,batches}/*.test.ts', 'tests/batches.test.ts'], {
    cwd: ROOT,
  }).map((path) => {
    const name = basename(path).replace(/(\.integration)?\.test\.ts$/, '');
    return [path.startsWith('tests') ? `tests/${name}` : name, readFileSync(new URL(path, ROOT), 'utf8')];
  }),
);

it('docs/openai-batch.md names tests that exist', () => {
  const named = [...table.matchAll(/`([\w/-]+) › ([^`]+)`/g)];
  const missing = named.filter(([, file = '', title]) => !testFiles.get(file)?.includes(`A4: ${title}`));
  expect(missing.map(([text]) => text)).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});

it('docs/openai-batch.md has a test in every row of its tables', () => {
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
  const headers = rows.filter((line) => line.endsWith('| test |'));
  expect(rows.filter((row) => !headers.includes(row) && !row.includes(' › '))).toEqual([]);
  expect(headers).toHaveLength(7);
});

it('docs/openai-batch.md describes every field and every route', () => {
  const fields = [BatchObject, CreateBatch, FileObject].flatMap((schema) => Object.keys(schema.shape));
  expect(fields.filter((field) => !table.includes(`\`${field}\``))).toEqual([]);
  const routes = Object.values(openAiRoutes)
    .map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/, '{id}')}`)
    .filter((route) => /^\w+ \/v1\/(files|batches)/.test(route));
  expect(routes.filter((route) => !table.includes(`\`${route}\``))).toEqual([]);
  const statuses = BatchObject.shape.status.options;
  expect(statuses.filter((status) => !table.includes(`\`${status}\``))).toEqual([]);
});
