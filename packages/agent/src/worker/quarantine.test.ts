import { expect, it } from 'vitest';
import { Quarantine, type Suspicion } from './quarantine.ts';

/** Crashes an item and gives back what is held against it; the test fails where it is judged already. */
function again(quarantine: Quarantine, name: string, alone: boolean, before: Suspicion | null): Suspicion {
  const verdict = quarantine.crashed(name, alone, before);
  if (verdict.kind !== 'again') throw new Error(`${name} is judged: ${verdict.kind}`);
  return verdict.suspicion;
}

it('a crash beside others makes a suspect and charges nobody', () => {
  const quarantine = new Quarantine();
  expect(again(quarantine, 'a', false, null)).toEqual({ crashes: 0, successesBefore: 0 });
});

it('an item that always crashes costs four crashes: one beside others and three alone', () => {
  const quarantine = new Quarantine();
  let held = again(quarantine, 'a', false, null);
  quarantine.succeeded();
  held = again(quarantine, 'a', true, held);
  held = again(quarantine, 'a', true, held);
  expect(held.crashes).toBe(2);
  expect(quarantine.crashed('a', true, held)).toEqual({ kind: 'item_error' });
});

it('an item that was alone when it first crashed costs three', () => {
  const quarantine = new Quarantine();
  const held = again(quarantine, 'a', true, again(quarantine, 'a', true, null));
  expect(quarantine.crashed('a', true, held)).toEqual({ kind: 'item_error' });
});

it('a runtime that dies under three different items and runs nothing between is what is broken', () => {
  const quarantine = new Quarantine();
  const suspects = ['a', 'b', 'c'].map((name) => ({ name, held: again(quarantine, name, false, null) }));
  const verdicts = suspects.map(({ name, held }) => quarantine.crashed(name, true, held).kind);
  expect(verdicts).toEqual(['again', 'again', 'not_here']);
  // A fresh item does not have to crash it three times more to find that out.
  expect(quarantine.crashed('d', true, null).kind).toBe('not_here');
});

it('three items that crash a runtime which is well for others are to blame themselves', () => {
  const quarantine = new Quarantine();
  const names = ['a', 'b', 'c'];
  let held = names.map((name) => again(quarantine, name, false, null));
  // An innocent of the same crash, alone.
  quarantine.succeeded();
  for (const _ of [1, 2]) held = names.map((name, i) => again(quarantine, name, true, held[i] ?? null));
  expect(names.map((name, i) => quarantine.crashed(name, true, held[i] ?? null).kind)).toEqual([
    'item_error',
    'item_error',
    'item_error',
  ]);
});

it('a success ends the doubt about a runtime', () => {
  const quarantine = new Quarantine();
  for (const name of ['a', 'b']) again(quarantine, name, true, null);
  quarantine.succeeded();
  expect(quarantine.successes).toBe(1);
  expect(quarantine.crashed('c', true, null).kind).toBe('again');
});
