import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utf8Chunks } from './utf8-chunks.ts';

async function read(bytes: Buffer, size = 1): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  let text = '';
  for await (const chunk of utf8Chunks(chunks())) text += chunk.toString('utf8');
  return text;
}

it('cuts no character in two', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', 'ä', '€', '😀', '\n') }),
      fc.integer({ min: 1, max: 9 }),
      async (text, size) => {
        expect(await read(Buffer.from(text), size)).toBe(text);
      },
    ),
  );
});

it.each([
  [
    'Latin-1',
    Buffer.from('id,text\n1,caf\xe9\n', 'latin1'),
    /line 2 is not UTF-8.*iconv -f WINDOWS-1252 -t UTF-8 FILE/,
  ],
  ['a character that is cut off at the end', Buffer.from('ab\nc€').subarray(0, -1), /line 2 is not UTF-8/],
  ['a lone continuation byte', Buffer.from([0x61, 0x62, 0x63, 0x64, 0x80, 0x0a]), /line 1 is not UTF-8/],
  [
    'UTF-16 with a byte order mark',
    Buffer.from('\ufeffid,text\n', 'utf16le'),
    /line 1 is UTF-16, .*iconv -f UTF-16 -t UTF-8/,
  ],
  ['UTF-16 without one', Buffer.from('id,text\n', 'utf16le'), /line 1 is UTF-16LE, .*iconv -f UTF-16LE/],
  ['UTF-16 of one character', Buffer.from('a', 'utf16le'), /line 1 is UTF-16LE/],
  ['a NUL byte', Buffer.from('abcde\nf\0g\n'), /line 2 contains a NUL byte/],
])('refuses %s', async (_what, bytes, message) => {
  for (const size of [1, 3, 100]) await expect(read(bytes, size)).rejects.toThrow(message);
});
