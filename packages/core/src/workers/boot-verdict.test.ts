import { expect, it } from 'vitest';
import { bootVerdict } from './boot-verdict.ts';

it.each([
  [false, false, 'first_seen'],
  [false, true, 'first_seen'],
  [true, true, 'same_machine_new_process'],
  [true, false, 'same_name_wiped_disk'],
] as const)('B4: name known %s, record found %s: %s', (nameKnown, recordFound, verdict) => {
  expect(bootVerdict({ nameKnown, recordFound })).toBe(verdict);
});
