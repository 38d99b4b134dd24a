import { expect, it } from 'vitest';
import { openJob } from '../testing/pool.ts';
import { distinctWorkKinds, workKindKey } from './work-kind.ts';

it('distinctWorkKinds lists each work kind once, in the order of the jobs', () => {
  const jobs = [openJob('i', { model: 'b' }), openJob('j', { model: 'a' }), openJob('k', { model: 'b' })];
  expect(distinctWorkKinds(jobs)).toEqual([
    { jobType: 'noop', model: 'b' },
    { jobType: 'noop', model: 'a' },
  ]);
});

it('workKindKey returns different keys for kinds whose names contain separators', () => {
  expect(workKindKey({ jobType: 'a', model: 'b,c' })).not.toBe(workKindKey({ jobType: 'a,b', model: 'c' }));
  expect(workKindKey({ jobType: 'a"', model: 'b' })).not.toBe(workKindKey({ jobType: 'a', model: '"b' }));
});
