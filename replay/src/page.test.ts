import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withBlock } from './page.ts';

const PAGE = readFileSync(new URL('../../docs/scheduling.md', import.meta.url), 'utf8');

it('withBlock: replaces the old table, and keeps the text around it', () => {
  const once = withBlock(PAGE, 'first table');
  const twice = withBlock(once, 'second table');
  expect(once).toContain('first table');
  expect(twice).toBe(once.replace('first table', 'second table'));
  const [before = '', after = ''] = twice.split('second table');
  expect(PAGE.startsWith(before.trimEnd())).toBe(true);
  expect(PAGE.endsWith(after.trimStart())).toBe(true);
});

it('withBlock: refuses a page without the marks', () => {
  expect(() => withBlock('# a page', 'a table')).toThrow('must contain the lines');
});
