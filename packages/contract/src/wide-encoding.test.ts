import { expect, it } from 'vitest';
import { ndjsonLines } from './ndjson-lines.ts';
import { wideEncoding } from './wide-encoding.ts';

const LITTLE = Buffer.from('{"id":"a"}\n"é"', 'utf16le');
const BIG = Buffer.from(LITTLE).swap16();
const WIDE = Buffer.from([0x7b, 0, 0, 0]);

it.each([
  ['UTF-16 with a little-endian mark', Buffer.concat([Buffer.from([0xff, 0xfe]), LITTLE]), 'UTF-16'],
  ['UTF-16 with a big-endian mark', Buffer.concat([Buffer.from([0xfe, 0xff]), BIG]), 'UTF-16'],
  ['UTF-16LE', LITTLE, 'UTF-16LE'],
  ['UTF-16BE', BIG, 'UTF-16BE'],
  ['UTF-32 with a little-endian mark', Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), WIDE]), 'UTF-32'],
  [
    'UTF-32 with a big-endian mark',
    Buffer.concat([Buffer.from([0, 0, 0xfe, 0xff]), WIDE.swap32()]),
    'UTF-32',
  ],
  ['UTF-32LE', Buffer.from([0x7b, 0, 0, 0]), 'UTF-32LE'],
])('A3: names %s, which is not UTF-8', async (_name, bytes, encoding) => {
  expect(wideEncoding(bytes)).toBe(encoding);
  const reading = (async () => {
    for await (const _ of ndjsonLines(chunks(bytes), 1000));
  })();
  await expect(reading).rejects.toMatchObject({
    code: 'invalid_encoding',
    line: 1,
    message: expect.stringContaining(`iconv -f ${encoding}`),
  });
});

it.each(['', '{', '{}', '"é"', '\ufeff{}', '1'])('takes %j in UTF-8', (text) => {
  expect(wideEncoding(Buffer.from(text))).toBeNull();
});

async function* chunks(bytes: Uint8Array) {
  yield bytes;
}
