import { describe, expect, it } from 'vitest';
import { ndjsonLines } from './ndjson-lines.ts';

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function linesOf(body: string | Uint8Array, size = 1000, limit = 100): Promise<[number, string][]> {
  const found: [number, string][] = [];
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  for await (const { number, text } of ndjsonLines(cut(bytes, size), limit)) found.push([number, text]);
  return found;
}

describe('lines', () => {
  it.each([1, 2, 3, 7, 1000])(
    'A2: are the same however the bytes are cut, as into pieces of %i',
    async (size) => {
      const body = '\ufeffa\r\n\n  \nné👩🏽‍💻\u2028b\n\r\nlast';
      expect(await linesOf(body, size)).toEqual([
        [1, 'a'],
        [4, 'né👩🏽‍💻\u2028b'],
        [6, 'last'],
      ]);
    },
  );

  it('A2: keep a byte order mark that is not at the start, and any but one carriage return', async () => {
    expect(await linesOf('a\n\ufeffb\nc\r\r\n')).toEqual([
      [1, 'a'],
      [2, '\ufeffb'],
      [3, 'c\r'],
    ]);
  });

  it('A2: of nothing are none', async () => {
    expect(await linesOf('')).toEqual([]);
    expect(await linesOf('\n\n')).toEqual([]);
  });

  it.each([1, 1000])(
    'A3: that are too long are refused with their number, before they have ended (%i)',
    async (size) => {
      expect(await linesOf(`a\n${'x'.repeat(100)}\n`, size)).toHaveLength(2);
      await expect(linesOf(`a\n\n${'x'.repeat(101)}`, size)).rejects.toMatchObject({
        code: 'line_too_long',
        line: 3,
      });
    },
  );

  it('A3: that are not UTF-8 are refused with their number', async () => {
    const body = Buffer.concat([Buffer.from('a\n\nb'), Buffer.from([0xff]), Buffer.from('\n')]);
    await expect(linesOf(body)).rejects.toMatchObject({ code: 'invalid_encoding', line: 3 });
  });
});
