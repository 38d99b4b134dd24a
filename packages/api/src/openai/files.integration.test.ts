import { rowCounts } from '@macbatch/store/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { fileApp } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';
import { openAiProblem, uploaded } from '../testing/openai-files.ts';

const control = fileApp();
const LINE = '{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"m"}}';

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

afterAll(() => expect(control.errors).toEqual([]));

describe('GET /v1/files', () => {
  it('A4: lists files by pages in both orders, by purpose, and only those of the group', async () => {
    const red = bearing(await keyFor(control.db.store, 'submit', { group: 'red' }));
    const blue = bearing(await keyFor(control.db.store, 'submit', { group: 'blue' }));
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await uploaded(control, LINE, red));
    const page = async (query: string, headers = red) => {
      const { data, ...rest } = await json<Page>(get(`/v1/files${query}`, headers));
      return { ids: data.map(({ id }) => id), ...rest };
    };
    expect(await page('?limit=2')).toEqual({
      ids: [ids[4], ids[3]],
      object: 'list',
      first_id: ids[4],
      last_id: ids[3],
      has_more: true,
    });
    expect(await page(`?limit=2&after=${ids[2]}`)).toMatchObject({ ids: [ids[1], ids[0]], has_more: false });
    expect((await page(`?order=asc&after=${ids[2]}`)).ids).toEqual([ids[3], ids[4]]);
    expect((await page('?purpose=batch')).ids).toEqual(ids.toReversed());
    expect((await page('?purpose=batch_output')).ids).toEqual([]);
    expect(await page('', blue)).toMatchObject({ ids: [], first_id: null, last_id: null, has_more: false });
    for (const limit of ['0', '10001', 'x', '1.5'])
      expect(await openAiProblem(await get(`/v1/files?limit=${limit}`, red), 400)).toMatchObject({
        param: 'limit',
      });
    await openAiProblem(await get('/v1/files?order=up', red), 400);
  });

  it.each([
    ['GET', ''],
    ['GET', '/content'],
    ['DELETE', ''],
  ])('A4: answers 404 to %s of a file of another group (%s)', async (method, tail) => {
    const red = bearing(await keyFor(control.db.store, 'submit', { group: 'red' }));
    const blue = bearing(await keyFor(control.db.store, 'submit', { group: 'blue' }));
    const id = await uploaded(control, LINE, red);
    for (const path of [id, 'file-x', `file-${'0'.repeat(32)}`, '%00', 'x'.repeat(2000)]) {
      const response = await control.send(method, `/v1/files/${path}${tail}`, undefined, blue);
      expect((await openAiProblem(response, 404)).message).toContain('No such File object');
    }
    expect((await get(`/v1/files/${id}`, red)).status).toBe(200);
  });

  it('A4: needs a key of a submitter', async () => {
    const worker = bearing(await keyFor(control.db.store, 'worker'));
    expect(await openAiProblem(await get('/v1/files', worker), 403)).toMatchObject({
      type: 'permission_error',
    });
    const wrong = bearing(`mbk_${'0'.repeat(16)}_${'x'.repeat(43)}`);
    expect(await openAiProblem(await get('/v1/files', wrong), 401)).toMatchObject({
      code: 'invalid_api_key',
    });
    expect(await openAiProblem(await get('/v1/files', bearing('sk-x')), 401)).toMatchObject({
      code: 'invalid_api_key',
      type: 'invalid_request_error',
    });
  });

  it('A4: ignores a key that is none while no key is needed, because client libraries always send one', async () => {
    const response = await get('/v1/files', bearing('anything'));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    const wrong = bearing(`mbk_${'0'.repeat(16)}_${'x'.repeat(43)}`);
    expect(await openAiProblem(await get('/v1/files', wrong), 401)).toMatchObject({
      code: 'invalid_api_key',
    });
  });

  it.each([
    ['PUT', '/v1/files', 405],
    ['PATCH', '/v1/files/file-1', 405],
    ['GET', '/v1/files/file-1/nothing', 404],
    ['POST', '/v1/files/file-1/content', 405],
  ])("A4: answers %s %s with OpenAI's error", async (method, path, status) => {
    await openAiProblem(await control.send(method, path), status);
  });
});

describe('GET /v1/files/{id}/content', () => {
  const content = Buffer.from(Array.from({ length: 90_000 }, (_, n) => `${n}\n`.padStart(30)).join(''));

  it('A4: streams any one range of bytes', async () => {
    const id = await uploaded(control, content);
    const chunk = 1024 * 1024;
    const size = content.length;
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      [`bytes=${chunk - 1}-${chunk}`, chunk - 1, chunk + 1],
      [`bytes=${chunk}-`, chunk, size],
      ['bytes=-10', size - 10, size],
      [`bytes=5-${size * 2}`, 5, size],
      [`bytes=-${size * 2}`, 0, size],
    ] as const) {
      const response = await get(`/v1/files/${id}/content`, { range });
      expect(response.status, range).toBe(206);
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${size}`);
      expect(response.headers.get('content-length')).toBe(String(end - start));
      expect(Buffer.from(await response.arrayBuffer()).equals(content.subarray(start, end)), range).toBe(
        true,
      );
    }
    for (const range of ['bytes=1-2,5-6', 'lines=1-2', 'bytes=5-1', 'bytes=-', 'x']) {
      const response = await get(`/v1/files/${id}/content`, { range });
      expect(response.status, range).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBe(size);
    }
    const beyond = await get(`/v1/files/${id}/content`, { range: `bytes=${size}-` });
    await openAiProblem(beyond, 416);
    const head = await control.send('HEAD', `/v1/files/${id}/content`);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)]);
  });
});

describe('DELETE /v1/files/{id}', () => {
  it('A4: deletes a file with its bytes', async () => {
    const id = await uploaded(control, `${LINE}\n`.repeat(20_000));
    const response = await control.send('DELETE', `/v1/files/${id}`);
    expect(await json(response)).toEqual({ id, object: 'file', deleted: true });
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, file_chunks: 0 });
    await openAiProblem(await control.send('DELETE', `/v1/files/${id}`), 404);
  });

  it('A4: finishes a deletion that was interrupted', async () => {
    await uploaded(control, LINE);
    await control.db.sql`update files set state = 'deleted'`;
    expect(await control.db.store.files.removeOverdue()).toBe(1);
    expect(await rowCounts(control.db.sql)).toMatchObject({ files: 0, file_chunks: 0 });
  });
});
