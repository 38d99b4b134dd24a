import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LinesByHash } from './lines-by-hash.ts';

it('A4: finds the line of each hash that was added before, like a map', () => {
  const hash = fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 20n), fc.constant(2n ** 63n + 1024n));
  fc.assert(
    fc.property(fc.array(hash, { maxLength: 3000, size: 'max' }), (hashes) => {
      const lines = new LinesByHash();
      const expected = new Map<bigint, number>();
      for (const [line, each] of hashes.entries()) {
        // 0 is kept as 1
        const key = each || 1n;
        expect(lines.add(each, line)).toBe(expected.get(key) ?? null);
        if (!expected.has(key)) expected.set(key, line);
      }
    }),
    { numRuns: 30 },
  );
});
