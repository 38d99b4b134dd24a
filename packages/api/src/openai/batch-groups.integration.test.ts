import { afterAll, describe, expect, it } from 'vitest';
import { type BatchReply, batchApp, CHAT, requestLine, requestLines } from '../testing/batch-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';
import { openAiProblem, uploaded } from '../testing/openai-files.ts';

const { control, ...openai } = batchApp({
  mixedModels: 'route',
  reuse: true,
  quota: { items: 5, payloadBytes: 1_000_000 },
});

afterAll(() => {
  expect(control.errors).toEqual([]);
  expect(openai.failures).toEqual([]);
});

const groupKey = async (group: string) => bearing(await keyFor(control.db.store, 'submit', { group }));

describe('groups', () => {
  it('A4: hides batches from other groups', async () => {
    const [red, blue] = [await groupKey('red'), await groupKey('blue')];
    const file = await uploaded(control, requestLines(1), red);
    expect(await openAiProblem(await openai.createFrom(file, {}, blue), 404)).toMatchObject({
      param: 'input_file_id',
    });
    const { id } = await openai.json<BatchReply>(openai.createFrom(file, {}, red));
    for (const path of [id, 'batch_x', '%00', `batch_${'0'.repeat(32)}`]) {
      const read = await control.send('GET', `/v1/batches/${path}`, undefined, blue);
      expect((await openAiProblem(read, 404)).message).toMatch(/No such Batch object/);
      await openAiProblem(await openai.post(`/v1/batches/${path}/cancel`, {}, blue), 404);
    }
    const list = (headers: Record<string, string>) =>
      openai.json<{ data: { id: string }[] }>(control.send('GET', '/v1/batches', undefined, headers));
    expect((await list(blue)).data).toEqual([]);
    expect((await list(red)).data.map((batch) => batch.id)).toEqual([id]);
    await openai.settle();
    expect(await control.db.sql`select owner from jobs`).toEqual([{ owner: 'red' }]);
  });

  it('A4: lists batches by pages, newest first', async () => {
    const red = await groupKey('red');
    const file = await uploaded(control, requestLines(1), red);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1)
      ids.unshift((await openai.json<BatchReply>(openai.createFrom(file, {}, red))).id);
    const page = async (query: string) => {
      const reply = await control.send('GET', `/v1/batches${query}`, undefined, red);
      const { data, ...rest } = await openai.json<{ data: { id: string }[] }>(reply);
      return { ids: data.map(({ id }) => id), ...rest };
    };
    expect(await page('?limit=2')).toEqual({
      ids: ids.slice(0, 2),
      object: 'list',
      first_id: ids[0],
      last_id: ids[1],
      has_more: true,
    });
    expect(await page(`?after=${ids[1]}`)).toMatchObject({ ids: [ids[2]], has_more: false });
    for (const query of ['limit=0', 'limit=101', 'limit=x'])
      await openAiProblem(await control.send('GET', `/v1/batches?${query}`, undefined, red), 400);
  });

  it('A4: fails a batch that exceeds the quota of its group, and stores nothing of it', async () => {
    const red = await groupKey('red');
    const file = await uploaded(control, requestLines(6), red);
    const { id } = await openai.json<BatchReply>(openai.createFrom(file, {}, red));
    await openai.settle();
    const reply = await control.send('GET', `/v1/batches/${id}`, undefined, red);
    expect(await openai.json<BatchReply>(reply)).toMatchObject({
      status: 'failed',
      errors: { data: [{ code: 'quota_exceeded', line: null }] },
    });
    expect(await control.db.sql`select from jobs`).toHaveLength(0);
  });

  it('A4: creates the batch of an idempotency key once in each group', async () => {
    const key = { 'idempotency-key': 'k' };
    const ids: string[] = [];
    for (const group of ['red', 'blue']) {
      const headers = { ...(await groupKey(group)), ...key };
      const file = await uploaded(control, requestLines(1), headers);
      ids.push((await openai.json<BatchReply>(openai.createFrom(file, {}, headers))).id);
    }
    expect(new Set(ids).size).toBe(2);
  });
});

describe('MACBATCH_BATCH_MIXED_MODELS=route', () => {
  const mixed = [
    requestLine('a', { model: 'x' }),
    requestLine('b', { model: 'y' }),
    requestLine('c', { model: 'x', n: 2 }),
  ].join('\n');

  it('A4: routes the requests of each model to a job of its own', async () => {
    const { id } = await openai.create(mixed);
    await openai.settle();
    expect(await openai.read(id)).toMatchObject({
      status: 'in_progress',
      model: 'x',
      request_counts: { total: 3 },
    });
    expect(await openai.run((custom) => ({ output: `"x-${custom}"` }), 'x')).toBe(2);
    await openai.settle();
    expect(await openai.read(id)).toMatchObject({ status: 'in_progress', request_counts: { completed: 2 } });
    expect(await openai.run((custom) => ({ output: `"y-${custom}"` }), 'y')).toBe(1);
    await openai.settle();
    const batch = await openai.read(id);
    expect(batch).toMatchObject({
      status: 'completed',
      request_counts: { total: 3, completed: 3, failed: 0 },
    });
    const output = (await openai.lines(batch.output_file_id)).map((line) => JSON.parse(line));
    expect(output.map((line) => [line.custom_id, line.response.body])).toEqual([
      ['a', 'x-a'],
      ['c', 'x-c'],
      ['b', 'y-b'],
    ]);
    expect(new Set(output.map((line) => line.id)).size).toBe(3);
  });

  it('A4: refuses a custom_id that two models share', async () => {
    const { id } = await openai.create(
      `${requestLine('a', { model: 'x' })}\n${requestLine('a', { model: 'y' })}`,
    );
    await openai.settle();
    expect(await openai.read(id)).toMatchObject({
      status: 'failed',
      errors: { data: [{ code: 'duplicate_custom_id', line: 2 }] },
    });
  });

  it('A4: stores no job when one of them is refused', async () => {
    const red = await groupKey('red');
    const lines = ['x', 'x', 'x', 'y', 'y', 'y'].map((model, n) => requestLine(`r${n}`, { model }));
    const file = await uploaded(control, lines.join('\n'), red);
    await openai.createFrom(file, {}, red);
    await openai.settle();
    expect(await control.db.sql`select state from batches`).toEqual([{ state: 'failed' }]);
    expect(await control.db.sql`select from jobs`).toHaveLength(0);
    expect(await control.db.sql`select from batch_jobs`).toHaveLength(0);
  });
});

describe('MACBATCH_BATCH_LEDGER=on', () => {
  it('A4: takes the outcomes of equal requests from the ledger', async () => {
    const first = await openai.create(requestLines(1));
    await openai.settle();
    await openai.run(() => ({ output: '"once"' }));
    await openai.settle();
    const second = await openai.create(`${requestLine('other')}\n${requestLine('same')}`);
    await openai.settle();
    expect(await openai.run(() => ({ output: '"twice"' }))).toBe(0);
    await openai.settle();
    const batch = await openai.read(second.id);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 2, completed: 2 } });
    for (const line of await openai.lines(batch.output_file_id)) expect(line).toContain('"body":"once"');
    expect((await openai.read(first.id))['endpoint']).toBe(CHAT);
  });
});
