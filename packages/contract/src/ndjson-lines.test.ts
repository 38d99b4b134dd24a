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

describe('ndjsonLines', () => {
  it.each([1, 2, 3, 7, 1000])('A2: yields the same lines for chunks of %i bytes', async (size) => {
    const body = '\ufeffa\r\n\n  \nné👩🏽‍💻\u2028b\n\r\nlast';
    expect(await linesOf(body, size)).toEqual([
      [1, 'a'],
      [4, 'né👩🏽‍💻\u2028b'],
      [6, 'last'],
    ]);
  });

  it('A2: keeps a byte order mark inside the body, and all but one carriage return', async () => {
    expect(await linesOf('a\n\ufeffb\nc\r\r\n')).toEqual([
      [1, 'a'],
      [2, '\ufeffb'],
      [3, 'c\r'],
    ]);
  });

  it('A2: yields no lines for an empty body', async () => {
    expect(await linesOf('')).toEqual([]);
    expect(await linesOf('\n\n')).toEqual([]);
  });

  it.each([1, 1000])(
    'A3: refuses a line that is too long before reading all of it, and names its number (chunks of %i bytes)',
    async (size) => {
      expect(await linesOf(`a\n${'x'.repeat(100)}\n`, size)).toHaveLength(2);
      await expect(linesOf(`a\n\n${'x'.repeat(101)}`, size)).rejects.toMatchObject({
        code: 'line_too_long',
        line: 3,
      });
    },
  );

  it('A3: refuses a line that is not UTF-8 and names its number', async () => {
    const body = Buffer.concat([Buffer.from('a\n\nb'), Buffer.from([0xff]), Buffer.from('\n')]);
    await expect(linesOf(body)).rejects.toMatchObject({ code: 'invalid_encoding', line: 3 });
  });
});
