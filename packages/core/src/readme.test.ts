import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as core from './index.ts';

it('the README explains every exported value', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, exportsPart = ''] = readme.split('## Exports');
  const explained = new Set(Array.from(exportsPart.matchAll(/`(\w+)`/g), ([, name]) => name));
  expect(Object.keys(core).filter((name) => !explained.has(name))).toEqual([]);
});
