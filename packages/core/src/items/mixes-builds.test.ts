import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mixesBuilds } from './mixes-builds.ts';

it.each([
  ['no build', [], false],
  ['one build', [['demo', 'sha256:1']], false],
  [
    'two digests under one name',
    [
      ['demo', 'sha256:1'],
      ['demo', 'sha256:2'],
    ],
    true,
  ],
  [
    'one digest under two names',
    [
      ['demo', 'sha256:1'],
      ['demo:latest', 'sha256:1'],
    ],
    false,
  ],
  [
    'a digest and a server that tells none',
    [
      ['demo', 'sha256:1'],
      ['demo', null],
    ],
    true,
  ],
  [
    'two names without a digest',
    [
      ['demo', null],
      ['demo-q4', null],
    ],
    true,
  ],
  [
    'one name without a digest',
    [
      ['demo', null],
      ['demo', null],
    ],
    false,
  ],
  [
    'a name that equals a digest',
    [
      ['sha256:1', null],
      ['demo', 'sha256:1'],
    ],
    true,
  ],
] as const)('says whether builds mix: %s', (_what, builds, mixed) => {
  expect(mixesBuilds(builds.map(([name, digest]) => ({ name, digest })))).toBe(mixed);
});

it('neither order nor repetition changes whether builds mix', () => {
  const name = fc.constantFrom('a', 'b');
  const build = fc.record({ name, digest: fc.option(fc.constantFrom('a', 'b')) });
  fc.assert(
    fc.property(fc.array(build), (builds) => {
      expect(mixesBuilds([...builds, ...builds].reverse())).toBe(mixesBuilds(builds));
    }),
  );
});
