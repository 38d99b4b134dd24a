import { expect, it } from 'vitest';
import {
  type CrashVerdict,
  countCrash,
  countSuccess,
  NO_CRASHES,
  type Quarantine,
  type Suspicion,
} from './quarantine.ts';

/** Makes the quarantine of a runtime and the record of each suspect. */
function runtime() {
  let quarantine: Quarantine = NO_CRASHES;
  const suspicions = new Map<string, Suspicion>();
  return {
    succeeds() {
      quarantine = countSuccess(quarantine);
    },
    successes: () => quarantine.successes,
    crashes(name: string, alone: 'alone' | 'beside others'): CrashVerdict {
      const counted = countCrash(quarantine, name, alone === 'alone', suspicions.get(name) ?? null);
      quarantine = counted.quarantine;
      if (counted.verdict.kind === 'again') suspicions.set(name, counted.verdict.suspicion);
      return counted.verdict;
    },
  };
}

const kinds = (verdicts: readonly CrashVerdict[]) => verdicts.map(({ kind }) => kind);

it('retries an item that crashed while others ran, and marks it as a suspect', () => {
  expect(runtime().crashes('a', 'beside others')).toEqual({
    kind: 'again',
    suspicion: { crashesAlone: 0, successesBefore: 0 },
  });
});

it('blames an item after four crashes: one while others ran and three alone', () => {
  const { crashes, succeeds } = runtime();
  const first = crashes('a', 'beside others');
  succeeds();
  expect(kinds([first, crashes('a', 'alone'), crashes('a', 'alone'), crashes('a', 'alone')])).toEqual([
    'again',
    'again',
    'again',
    'item_error',
  ]);
});

it('blames an item after three crashes when it was alone at the first', () => {
  const { crashes } = runtime();
  expect(kinds([crashes('a', 'alone'), crashes('a', 'alone'), crashes('a', 'alone')])).toEqual([
    'again',
    'again',
    'item_error',
  ]);
});

it('blames the runtime when three different items crash it alone without a success between the crashes', () => {
  const { crashes } = runtime();
  for (const name of ['a', 'b', 'c']) crashes(name, 'beside others');
  expect(kinds(['a', 'b', 'c'].map((name) => crashes(name, 'alone')))).toEqual([
    'again',
    'again',
    'not_here',
  ]);
  // A new item does not have to crash it three times more to find that out.
  expect(crashes('d', 'alone').kind).toBe('not_here');
});

it('blames three items when the runtime works for others', () => {
  const { crashes, succeeds } = runtime();
  const names = ['a', 'b', 'c'];
  for (const name of names) crashes(name, 'beside others');
  // An innocent item of the same crash, alone.
  succeeds();
  for (const _ of [1, 2]) for (const name of names) crashes(name, 'alone');
  expect(kinds(names.map((name) => crashes(name, 'alone')))).toEqual([
    'item_error',
    'item_error',
    'item_error',
  ]);
});

it('trusts the runtime again after a success', () => {
  const { crashes, succeeds, successes } = runtime();
  for (const name of ['a', 'b']) crashes(name, 'alone');
  succeeds();
  expect(successes()).toBe(1);
  expect(crashes('c', 'alone').kind).toBe('again');
});
