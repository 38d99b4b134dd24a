import { expect, it } from 'vitest';
import { nameOfHost, programName } from './program-name.ts';

it.each([
  ['mac-3.local', 'mac-3.local'],
  ['Jürgens Mac', 'J-rgens-Mac'],
  ['', 'worker'],
  ['x'.repeat(300), 'x'.repeat(200)],
])('nameOfHost: makes the host name "%s" into the valid name "%s"', (hostname, name) => {
  expect(nameOfHost(hostname, 'worker')).toBe(name);
  expect(programName.parse(name)).toBe(name);
});
