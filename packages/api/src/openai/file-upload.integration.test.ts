import { gzipSync } from 'node:zlib';
import { rowCounts } from '@macbatch/store/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { fileApp } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';
import {
  batchFile,
  multipart,
  openAiProblem,
  type Part,
  postFile,
  uploaded,
} from '../testing/openai-files.ts';

const MAX_FILE_BYTES = 3 * 1024 * 1024;
const control = fileApp({
  limits: { maxFileBytes: MAX_FILE_BYTES, maxFileLineBytes: 2000, fileQuotaBytes: MAX_FILE_BYTES },
});
const LINE = '{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"m"}}';

const BROKEN = new Error('The connection broke.');

const get = (path: string, headers: Record<string, string> = {}) =>
  control.send('GET', path, undefined, headers);
const json = async <Reply>(response: Response | Promise<Response>): Promise<Reply> =>
  (await (await response).json()) as Reply;
interface Page {
  readonly data: { readonly id: string }[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

afterAll(() => expect(control.errors).toEqual([BROKEN]));

describe('POST /v1/files', () => {
  it('A4: stores a file with the fields of OpenAI and gives its exact bytes back', async () => {
    // More than two chunks of the database, with characters that the chunks cut.
    const content = `\ufeff${`{"custom_id":"\u2028é🍏","x":1}\r\n`.repeat(70_000)}\n\n`;
    const response = await postFile(control, [
      { name: 'file', content, filename: 'C:\\fakepath\\été.jsonl' },
      { name: 'purpose', content: 'batch' },
    ]);
    expect(response.status).toBe(200);
    const file = await json<Record<string, unknown>>(response);
    const now = Math.floor(Date.now() / 1000);
    expect(file).toEqual({
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/),
      object: 'file',
      bytes: Buffer.byteLength(content),
      created_at: expect.any(Number),
      expires_at: Number(file['created_at']) + 30 * 24 * 60 * 60,
      filename: 'été.jsonl',
      purpose: 'batch',
      status: 'processed',
      status_details: null,
    });
    expect(Math.abs(Number(file['created_at']) - now)).toBeLessThan(60);
    expect(await json(get(`/v1/files/${file['id']}`))).toEqual(file);
    const read = await get(`/v1/files/${file['id']}/content`);
    expect(read.headers.get('content-length')).toBe(String(Buffer.byteLength(content)));
    expect(read.headers.get('content-type')).toBe('application/octet-stream');
    expect(Buffer.from(await read.arrayBuffer()).equals(Buffer.from(content))).toBe(true);
  });

  it('A4: expires a file when the upload says so', async () => {
    const file = await json<Record<string, number>>(
      postFile(control, [
        ...batchFile(LINE),
        { name: 'expires_after[anchor]', content: 'created_at' },
        { name: 'expires_after[seconds]', content: '3600' },
      ]),
    );
    expect(Number(file['expires_at']) - Number(file['created_at'])).toBe(3600);
    await control.db.sql`update files set expires_at = now()`;
    await openAiProblem(await get(`/v1/files/${file['id']}`), 404);
    expect((await json<Page>(get('/v1/files'))).data).toEqual([]);
    expect(await control.db.store.files.removeOverdue()).toBe(1);
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, file_chunks: 0 });
  });

  const file: Part = { name: 'file', content: LINE, filename: 'a.jsonl' };
  const purpose: Part = { name: 'purpose', content: 'batch' };
  const utf16 = Buffer.from(`\ufeff${LINE}`, 'utf16le');
  it.each<[string, readonly Part[] | Uint8Array, number, string, string | null, RegExp]>([
    ['no file part', [purpose], 400, 'missing_required_parameter', 'file', /no file/],
    ['two file parts', [purpose, file, file], 400, 'invalid_multipart', 'file', /more than one file/],
    [
      'a file under another name',
      [purpose, { ...file, name: 'f' }],
      400,
      'missing_required_parameter',
      'file',
      /no file/,
    ],
    ['no purpose', [file], 400, 'invalid_value', 'purpose', /batch/],
    [
      'a wrong purpose behind the file',
      [file, { ...purpose, content: 'fine-tune' }],
      400,
      'invalid_value',
      'purpose',
      /batch/,
    ],
    [
      'a wrong purpose before the file',
      [{ ...purpose, content: 'batch_output' }, file],
      400,
      'invalid_value',
      'purpose',
      /batch/,
    ],
    ['an empty file', batchFile(''), 400, 'empty_file', 'file', /no lines/],
    ['only blank lines', batchFile(' \r\n\n\t\n'), 400, 'empty_file', 'file', /no lines/],
    ['UTF-16', batchFile(utf16), 400, 'invalid_encoding', 'file', /UTF-16/],
    ['UTF-16 without a mark', batchFile(utf16.subarray(2)), 400, 'invalid_encoding', 'file', /UTF-16LE/],
    ['gzip bytes', batchFile(gzipSync(LINE)), 400, 'invalid_file', 'file', /gzip/],
    [
      'bytes that are not UTF-8',
      batchFile(Buffer.concat([Buffer.from(`${LINE}\n${LINE}`), Buffer.of(0xe9, 0x41)])),
      400,
      'invalid_encoding',
      'file',
      /Line 2 /,
    ],
    [
      'a character that the end cuts off',
      batchFile(Buffer.from(`${LINE}\n\n${LINE}é`).subarray(0, -1)),
      400,
      'invalid_encoding',
      'file',
      /Line 3 /,
    ],
    [
      'a line over the limit',
      batchFile(`${LINE}\n"${'x'.repeat(2000)}"`),
      400,
      'line_too_long',
      'file',
      /Line 2 /,
    ],
    ['too many bytes', batchFile(`${LINE}\n`.repeat(40_000)), 413, 'file_too_large', 'file', /3145728 bytes/],
    [
      'a too short expiry',
      [
        ...batchFile(LINE),
        { name: 'expires_after[anchor]', content: 'created_at' },
        { name: 'expires_after[seconds]', content: '60' },
      ],
      400,
      'invalid_value',
      'expires_after.seconds',
      /3600/,
    ],
    [
      'a cut-off form',
      multipart(batchFile(LINE)).subarray(0, -40),
      400,
      'invalid_multipart',
      null,
      /cut off/,
    ],
    [
      'a form that ends in a header',
      multipart(batchFile(LINE)).subarray(0, 60),
      400,
      'invalid_multipart',
      null,
      /cut off/,
    ],
    ['no body', new Uint8Array(), 400, 'invalid_multipart', null, /cut off/],
    ['another boundary', Buffer.from(LINE), 400, 'invalid_multipart', null, /cut off/],
  ])('A4: refuses %s and stores nothing', async (_what, body, status, code, param, message) => {
    const problem = await openAiProblem(await postFile(control, body), status);
    expect(problem).toMatchObject({ code, param, type: 'invalid_request_error' });
    expect(problem.message).toMatch(message);
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, file_chunks: 0 });
  });

  it.each([['application/json'], ['multipart/form-data'], ['application/x-www-form-urlencoded']])(
    'A4: refuses the content type %s',
    async (type) => {
      const response = await control.send('POST', '/v1/files', '{}', { 'content-type': type });
      expect(await openAiProblem(response, 400)).toMatchObject({ code: 'invalid_multipart' });
    },
  );

  it.each([
    ['a byte order mark', `\ufeff${LINE}\n`],
    ['CRLF line ends', `${LINE}\r\n`],
    ['blank lines at the end', `${LINE}\n\n`],
    ['no line end', LINE],
    ['three bytes', '"a"'],
  ])('A4: accepts a file with %s', async (_what, content) => {
    await uploaded(control, content);
  });

  it('A4: stores nothing of an interrupted upload', async () => {
    const body = new ReadableStream({
      start(stream) {
        stream.enqueue(multipart(batchFile(`${LINE}\n`.repeat(20_000))).subarray(0, -100));
        stream.error(BROKEN);
      },
    });
    const response = await postFile(control, body);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, file_chunks: 0 });
  });

  it('A4: never shows an unfinished upload, and removes it when it was abandoned', async () => {
    const upload = await control.db.store.files.upload({
      owner: '',
      purpose: 'batch',
      filename: 'a',
      quotaBytes: null,
    });
    await upload.write(Buffer.alloc(1_500_000, 'x'));
    await upload.end();
    await openAiProblem(await get(`/v1/files/${upload.id}`), 404);
    expect((await json<Page>(get('/v1/files'))).data).toEqual([]);
    expect(await control.db.store.files.removeOverdue()).toBe(0);
    await control.db.sql`update files set upload_until = now()`;
    expect(await control.db.store.files.removeOverdue()).toBe(1);
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, file_chunks: 0 });
    await expect(upload.publish({ expiresInSeconds: null })).rejects.toThrow();
    await upload.write(Buffer.alloc(2_000_000));
    await expect(upload.end()).rejects.toThrow(/given up/);
  });

  it('A4: refuses a file over the quota of its group', async () => {
    const headers = bearing(await keyFor(control.db.store, 'submit', { group: 'red' }));
    await uploaded(control, `${LINE}\n`.repeat(20_000), headers);
    const problem = await openAiProblem(
      await postFile(control, batchFile(`${LINE}\n`.repeat(20_000)), headers),
      429,
    );
    expect(problem).toMatchObject({ code: 'quota_exceeded', type: 'rate_limit_error' });
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 1 });
    const other = bearing(await keyFor(control.db.store, 'submit', { group: 'blue' }));
    await uploaded(control, `${LINE}\n`.repeat(20_000), other);
  });
});
