import { expect, it } from 'vitest';
import type { FoundModel } from './found-model.ts';
import { afterLook, type KnownServer, NOTHING_KNOWN } from './known-server.ts';
import type { Sighting } from './look-at-address.ts';

const model = (name: string): FoundModel => ({ name, jobTypes: ['chat'], loaded: null, contextLength: null });
const found = (...names: string[]): Sighting => ({
  seen: 'answers',
  identity: { kind: 'vllm', models: names.map(model), isLoading: false },
});
const LOADING: Sighting = {
  seen: 'answers',
  identity: { kind: 'llama-server', models: [], isLoading: true },
};
const STRANGER: Sighting = { seen: 'answers', identity: { kind: null, problem: 'it shows a web page: x' } };
const NOTHING: Sighting = { seen: 'nothing' };
const SILENCE: Sighting = { seen: 'silence' };

/** What is known after looks, each 10 seconds after the one before. */
const after = (...looks: readonly Sighting[]): KnownServer =>
  looks.reduce(
    (known, look, index) => afterLook(known, look, { now: index * 10_000, goneAfterMs: 10_000 }),
    NOTHING_KNOWN,
  );

it.each<[name: string, sightings: Sighting[], models: string[] | null, next: 'again' | 'soon']>([
  ['nothing', [NOTHING], null, 'again'],
  ['a stranger', [STRANGER], null, 'again'],
  ['silence', [SILENCE], null, 'again'],
  ['a server', [found('a')], ['a'], 'again'],
  ['a server that starts later', [NOTHING, NOTHING, found('a')], ['a'], 'again'],
  ['a server with other models', [found('a'), found('b', 'c')], ['b', 'c'], 'again'],
  ['a server without its models', [found('a'), found()], [], 'again'],
  ['a server that loads', [LOADING], null, 'soon'],
  ['a server that has loaded', [LOADING, LOADING, found('a')], ['a'], 'again'],
  ['a known server that loads again', [found('a'), LOADING, LOADING, LOADING], ['a'], 'soon'],
  ['a server that hangs while listing', [found('a'), SILENCE, SILENCE, SILENCE], ['a'], 'again'],
  ['a server that is restarted', [found('a'), NOTHING], ['a'], 'soon'],
  ['a server that was restarted', [found('a'), NOTHING, found('a')], ['a'], 'again'],
  ['a server that has ended', [found('a'), NOTHING, NOTHING], null, 'again'],
  ['a server that answers one page', [found('a'), STRANGER, found('a')], ['a'], 'again'],
  ['a server replaced by a stranger', [found('a'), STRANGER, STRANGER], null, 'again'],
  ['misses with a look between them', [found('a'), NOTHING, found('a'), NOTHING], ['a'], 'soon'],
])('%s', (_, sightings, models, next) => {
  const known = after(...sightings);
  expect(known.server?.models.map(({ name }) => name) ?? null).toEqual(models);
  expect(known.isUnsettled ? 'soon' : 'again').toBe(next);
});
