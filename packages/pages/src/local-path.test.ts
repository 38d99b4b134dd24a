import fc from 'fast-check';
import { expect, it } from 'vitest';
import { localPath } from './local-path.ts';

it.each(['/', '/jobs/1?state=ok', '/jobs/%2F%2Fhost', '/?q=http://other'])('keeps the path %s', (path) => {
  expect(localPath(path)).toBe(path);
});

it.each([
  '',
  'jobs',
  '//host',
  '/\\host',
  '/\t/host',
  '/\n//host',
  'http://host/',
  'javascript:alert(1)',
  '\\\\host',
  '/a\\b',
])('leads to the jobs instead of %j', (next) => {
  expect(localPath(next)).toBe('/');
});

it('never leads to another site', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('/', '\\', '\t', '.', ':', '@', 'a', '?', '#')), (characters) => {
      const url = new URL(localPath(characters.join('')), 'http://here.test');
      expect(url.origin).toBe('http://here.test');
    }),
  );
});
