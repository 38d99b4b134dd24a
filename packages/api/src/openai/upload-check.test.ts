import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestedRange } from './byte-range.ts';
import { OpenAiRefusal } from './openai-refusal.ts';
import { UploadCheck } from './upload-check.ts';

const LIMIT = 20;

/** The message of the refusal; null if the chunks are accepted. */
function refusalOf(chunks: readonly Uint8Array[]): string | null {
  const check = new UploadCheck(LIMIT);
  try {
    for (const chunk of chunks) check.add(chunk);
    check.end();
    return null;
  } catch (error) {
    if (error instanceof OpenAiRefusal) return error.message;
    throw error;
  }
}

/** Cuts bytes at these positions. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return sorted.slice(1).map((end, n) => bytes.subarray(sorted[n], end));
}

describe('UploadCheck', () => {
  it('A4: answers the same, however the bytes are cut into chunks', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '🍏', '\ufeff', ' '), maxLength: 40 });
    const bytes = fc.oneof(
      text.map((each) => Buffer.from(each)),
      fc
        .tuple(text, fc.uint8Array({ maxLength: 2 }), text)
        .map(([a, b, c]) => Buffer.concat([Buffer.from(a), b, Buffer.from(c)])),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat()), (all, places) => {
        const whole = refusalOf([all]);
        const pieces = refusalOf(cut(all, places));
        // Of several errors, the first chunk that shows one decides.
        expect(pieces === null).toBe(whole === null);
      }),
      { numRuns: 500 },
    );
  });

  it('A4: accepts exactly UTF-8 with short lines and some content', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '🍏', ' '), maxLength: 60 });
    fc.assert(
      fc.property(text, (each) => {
        const isShort = each.split('\n').every((line) => Buffer.byteLength(line) <= LIMIT);
        expect(refusalOf([Buffer.from(each)]) === null).toBe(isShort && each.trim() !== '');
      }),
    );
  });
});

describe('requestedRange', () => {
  it.each([
    [undefined, 'whole'],
    ['bytes=0-', { start: 0, end: 10 }],
    ['bytes=2-3', { start: 2, end: 4 }],
    ['Bytes=9-99', { start: 9, end: 10 }],
    ['bytes=-3', { start: 7, end: 10 }],
    ['bytes=-30', { start: 0, end: 10 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=3-2', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=1-2,4-5', 'whole'],
    ['items=1-2', 'whole'],
  ])('A4: reads %s', (header, range) => {
    expect(requestedRange(header, 10)).toEqual(range);
  });

  it('A4: has no range in an empty file', () => {
    expect(requestedRange('bytes=0-', 0)).toBe('unsatisfiable');
  });
});
