import { expect, it } from 'vitest';
import { readHeaderLines } from './header-lines.ts';

it('reads names and values, and skips blank lines and comments', () => {
  expect(readHeaderLines(['api-key: a:b ', '', '# team', '  X-Team:x', 'X-Empty:'])).toEqual({
    headers: { 'api-key': 'a:b', 'X-Team': 'x', 'X-Empty': '' },
  });
});

it.each(['no colon', ': no name'])('names the line that is no header: %s', (line) => {
  expect(readHeaderLines(['a: b', line])).toEqual({ badLine: 2 });
});
