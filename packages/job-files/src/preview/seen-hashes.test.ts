import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SeenHashes } from './seen-hashes.ts';

it('knows what was added', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 2000 }), (texts) => {
      const seen = new SeenHashes();
      const known = new Set<string>();
      for (const text of texts) {
        expect(seen.add(text)).toBe(known.has(text));
        known.add(text);
      }
    }),
    { numRuns: 20 },
  );
});

it('stays within its size, and still knows what it has', () => {
  const seen = new SeenHashes(2048);
  const texts = Array.from({ length: 3000 }, (_, n) => `text ${n}`);
  for (const text of texts) seen.add(text);
  expect(seen.isFull).toBe(true);
  expect(texts.map((text) => seen.add(text))).toEqual(texts.map((_, n) => n < 1024));
});
