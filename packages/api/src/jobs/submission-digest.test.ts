import { describe, expect, it } from 'vitest';
import { SubmissionDigest } from './submission-digest.ts';

/** The digest of a body whose header is the text of this line. */
async function digestOf(body: Uint8Array, text: string, line: number, chunkBytes = 7): Promise<string> {
  const digest = new SubmissionDigest('application/x-ndjson');
  async function* chunks() {
    for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes);
  }
  let read = 0;
  const headerEnd = Buffer.from(body).indexOf(text) + Buffer.byteLength(text);
  let told = false;
  for await (const chunk of digest.reading(chunks())) {
    read += chunk.length;
    if (!told && read >= headerEnd) digest.headerRead(text, line);
    told ||= read >= headerEnd;
  }
  return digest.digest();
}

const ITEM = '\n{"id":"a","payload":"ü"}\n';
const ndjson = (header: string, before = '') =>
  digestOf(Buffer.from(`${before}${header}${ITEM}`), header, before === '\ufeff' ? 1 : before.length + 1);

const WITHOUT = '{"job_type":"chat","model":"ü"}';

describe('I6: a submission under another name is the same submission', () => {
  it.each([
    '{"name":"a","job_type":"chat","model":"ü"}',
    '{"name" : "a" ,"job_type":"chat","model":"ü"}',
    '{"job_type":"chat","name":"a, {\\"b\\"}","model":"ü"}',
    '{"job_type":"chat","model":"ü","name":"größer"}',
    '{"job_type":"chat","model":"ü","n\\u0061me":"a"}',
  ])('%s', async (header) => {
    expect(await ndjson(header)).toBe(await ndjson(WITHOUT));
  });
});

it('I6: ignores blank lines and a byte order mark when it looks for the name', async () => {
  const named = '{"job_type":"chat","model":"ü","name":"größer"}';
  for (const before of ['\n', '\n\n', '\ufeff'])
    expect(await ndjson(named, before)).toBe(await ndjson(WITHOUT, before));
});

it('I6: every other difference is another submission', async () => {
  const digests = await Promise.all([
    ndjson(WITHOUT),
    ndjson('{"job_type":"chat","model":"u"}'),
    ndjson('{"job_type":"chat","model":"ü","params":{"name":"a"}}'),
    ndjson('{"job_type":"chat","model":"ü","params":{"name":"b"}}'),
  ]);
  expect(new Set(digests).size).toBe(4);
});
