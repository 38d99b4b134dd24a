import { expect, it } from 'vitest';
import { powerChanges } from './mac-life.ts';
import type { MacTrace } from './trace.ts';

const words = (trace: Partial<MacTrace>) =>
  powerChanges({ speed: 1, slots: 1, asleep: [], offline: [], diesAt: null, ...trace }).map(
    ({ at, what }) => `${what} ${at}`,
  );

it('powerChanges: switches a Mac on before the first submission, unless its lid is closed', () => {
  expect(words({})).toEqual(['on -Infinity']);
  expect(words({ asleep: [[0, 7]] })).toEqual(['off 0', 'on 7']);
});

it('powerChanges: switches a Mac off and on with its lid until it dies', () => {
  const asleep = [
    [10, 20],
    [30, 40],
  ] as const;
  expect(words({ asleep })).toEqual(['on -Infinity', 'off 10', 'on 20', 'off 30', 'on 40']);
  expect(words({ asleep, diesAt: 35 })).toEqual(['on -Infinity', 'off 10', 'on 20', 'off 30', 'off 35']);
});
