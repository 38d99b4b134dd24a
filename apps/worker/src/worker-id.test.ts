import { expect, it } from 'vitest';
import { workerIdOf } from './worker-id.ts';

it.each([
  ['mac-3.local', 'mac-3.local'],
  ['Jürgens Mac', 'J-rgens-Mac'],
  ['', 'worker'],
])('makes the host name %s into the worker id %s', (hostname, id) => {
  expect(workerIdOf(hostname)).toBe(id);
});
