import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freshStore } from '../testing/index.ts';
import { openS3Content, parseS3Url } from './s3-content.ts';

const MEGABYTE = 1024 * 1024;
/** The credentials that s3rver accepts. */
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

let directory: string;
let server: S3rver;
let port: number;
const unreachable: Error[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'macbatch-s3-'));
  const configureBuckets = [{ name: 'bucket', configs: [] }];
  server = new S3rver({ port: 0, address: '127.0.0.1', directory, silent: true, configureBuckets });
  ({ port } = await server.run());
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true });
  expect(unreachable).toEqual([]);
});

const open = (path = '/bucket/some%20folder', credentials = CREDENTIALS) =>
  openS3Content(`http://127.0.0.1:${port}${path}`, credentials, (error) => unreachable.push(error));

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const BYTES = Buffer.from(Uint8Array.from({ length: 9 * MEGABYTE + 7 }, (_, n) => (n * 31) ^ (n >> 8)));

describe('files in an S3-compatible store', () => {
  it('gives back every range of what was written', async () => {
    const content = await open();
    const writer = content.writer('file-a');
    for (let at = 0; at < BYTES.length; at += 700_001) await writer.write(BYTES.subarray(at, at + 700_001));
    await writer.end();
    const cut = fc.oneof(
      fc.nat(BYTES.length),
      fc.constantFrom(0, 4 * MEGABYTE, 4 * MEGABYTE - 1, 8 * MEGABYTE, BYTES.length),
    );
    await fc.assert(
      fc.asyncProperty(cut, cut, async (one, other) => {
        const range = { start: Math.min(one, other), end: Math.max(one, other) };
        const read = await joined(content.read('file-a', range));
        expect(read.equals(BYTES.subarray(range.start, range.end))).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('deletes all chunks of one file, those of an unfinished upload included', async () => {
    const content = await open();
    for (const file of ['file-b', 'file-bb']) await content.writer(file).write(BYTES);
    const other = content.writer('file-c');
    await other.write(Buffer.from('x'));
    await other.end();
    await content.delete('file-b');
    await content.delete('file-b');
    await expect(joined(content.read('file-b', { start: 0, end: 1 }))).rejects.toThrow('was deleted');
    expect((await joined(content.read('file-c', { start: 0, end: 1 }))).toString()).toBe('x');
  });

  it('refuses a bucket that does not exist and credentials that are wrong', async () => {
    await expect(open('/other')).rejects.toThrow(`http://127.0.0.1:${port}/other does not exist`);
    // s3rver knows access keys and does not check signatures of version 4.
    const wrong = { accessKeyId: 'nobody', secretAccessKey: 'not-the-secret' };
    await expect(open('/bucket', wrong)).rejects.toThrow('these credentials may not use it');
    await expect(open('/bucket', wrong)).rejects.not.toThrow('not-the-secret');
  });

  it('reports a store that does not answer, and tries again what it does not answer for a moment', async () => {
    let failures = 0;
    const proxy = createServer((incoming, reply) => {
      if (failures > 0) {
        failures -= 1;
        reply.writeHead(503).end();
        return;
      }
      const { method, url: path, headers } = incoming;
      incoming.pipe(
        request({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
          reply.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(reply);
        }),
      );
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => {
      proxy.close();
    });
    const { port: proxyPort } = proxy.address() as AddressInfo;
    const reasons: string[] = [];
    failures = 1;
    const url = `http://127.0.0.1:${proxyPort}/bucket`;
    const content = await openS3Content(url, CREDENTIALS, ({ message }) => reasons.push(message));
    expect(reasons).toEqual([expect.stringContaining(`${url} does not answer`)]);
    const writer = content.writer('file-d');
    failures = 1;
    await writer.write(Buffer.from('hello'));
    await writer.end();
    failures = 1;
    expect((await joined(content.read('file-d', { start: 1, end: 4 }))).toString()).toBe('ell');
    failures = 1;
    await content.delete('file-d');
    expect(failures).toBe(0);
  });

  it('holds the bytes of files whose rows are in the database, and leaves older files where they are', async () => {
    const before = await freshStore();
    onTestFinished(() => before[Symbol.asyncDispose]());
    const upload = async (store: typeof before.store, text: string) => {
      const file = { owner: 'o', purpose: 'batch', filename: 'a.jsonl', quotaBytes: null };
      const started = await store.files.upload(file);
      await started.write(Buffer.from(text));
      await started.end();
      return started.publish({ expiresInSeconds: null });
    };
    const old = await upload(before.store, 'in the database');
    const after = await freshStore({ fileContent: await open() });
    onTestFinished(() => after[Symbol.asyncDispose]());
    const moved = await upload(after.store, 'in the bucket');
    expect((await joined(after.store.files.read(moved))).toString()).toBe('in the bucket');
    expect((await after.sql`select count(*)::int as n from file_chunks`)[0]).toMatchObject({ n: 0 });
    expect(moved.storage).toMatch(/^s3:http/);
    expect((await joined(before.store.files.read(old))).toString()).toBe('in the database');
    expect(await after.store.files.delete(moved)).toBe('deleted');
    await expect(joined(after.store.files.read(moved))).rejects.toThrow('was deleted');
  });
});

describe('the URL of a store', () => {
  it('names the server, the bucket, the folder, the region and perhaps the credentials', () => {
    expect(parseS3Url('https://key%2F1:s%40cret@s3.example:9000/bucket/a/b/?region=eu-central-1')).toEqual({
      endpoint: 'https://s3.example:9000/bucket',
      prefix: 'a/b/',
      region: 'eu-central-1',
      credentials: { accessKeyId: 'key/1', secretAccessKey: 's@cret' },
    });
    expect(parseS3Url('http://localhost/bucket')).toMatchObject({
      prefix: '',
      region: 'auto',
      credentials: null,
    });
  });

  it.each(['s3://key:secret-text@bucket', 'key:secret-text@host/bucket', 'https://key:secret-text@host/'])(
    'is refused without its secret if it is %s',
    (url) => {
      expect(() => parseS3Url(url)).toThrow('URL of the store of files');
      expect(() => parseS3Url(url)).not.toThrow('secret-text');
    },
  );
});
