import { expect, test } from 'vitest';
import { lengthGroups } from './length-groups.ts';

test('puts texts of similar length into one group, each text once', () => {
  expect(lengthGroups([5, 100, 7, 128, 6, 30])).toEqual([[0, 4, 2], [5], [1, 3]]);
  expect(lengthGroups([])).toEqual([]);
});
