import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SeqRanges } from './seq-ranges.ts';

it('holds what was added, in as few ranges as possible', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40)), (seqs) => {
      const ranges = new SeqRanges();
      for (const seq of seqs) ranges.add(seq);
      const all = Array.from({ length: 42 }, (_, seq) => seq);
      expect(all.filter((seq) => ranges.has(seq))).toEqual(all.filter((seq) => seqs.includes(seq)));
      const written = ranges.toJSON();
      for (const [n, [first]] of written.entries())
        if (n > 0) expect(first).toBeGreaterThan((written[n - 1]?.[1] ?? 0) + 1);
      expect(ranges.prefixEnd).toBe(all.findIndex((seq) => !seqs.includes(seq)) - 1);
      expect(new SeqRanges(written).toJSON()).toEqual(written);
    }),
  );
});
