import { expect, it } from 'vitest';
import { bootVerdict } from './boot-verdict.ts';

it.each([
  [false, false, 'first_seen'],
  [false, true, 'first_seen'],
  [true, true, 'same_machine_new_process'],
  [true, false, 'same_name_wiped_disk'],
] as const)(
  'B4: with name known %s and record found %s, the verdict is %s',
  (nameKnown, recordFound, verdict) => {
    expect(bootVerdict({ nameKnown, recordFound })).toBe(verdict);
  },
);
