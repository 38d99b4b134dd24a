import { expect, test } from 'vitest';
import { lengthGroups } from './length-groups.ts';

test('texts of about the same length are read together, each once', () => {
  expect(lengthGroups([5, 100, 7, 128, 6, 30])).toEqual([[0, 4, 2], [5], [1, 3]]);
  expect(lengthGroups([])).toEqual([]);
});
