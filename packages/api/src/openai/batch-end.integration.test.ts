import { waitForBlockedSession } from '@macbatch/store/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { batchApp, parsedLines, requestLines } from '../testing/batch-app.ts';
import { openAiProblem, uploaded } from '../testing/openai-files.ts';
import { createBatchRunner } from './batch-runner.ts';

const { control, ...openai } = batchApp();
const { create, lines, read, run, settle } = openai;
const MODEL = { name: 'm', digest: null };

afterAll(() => {
  expect(control.errors).toEqual([]);
  expect(openai.failures).toEqual([]);
});

describe('POST /v1/batches/{id}/cancel', () => {
  it('A4: keeps finished requests, writes the others as batch_cancelled, and can be repeated', async () => {
    const { id } = await create(requestLines(200));
    await settle();
    const [task] = await openai.lease();
    const [first, second] = task?.items ?? [];
    await control.db.store.report('ann', [
      {
        taskId: task?.taskId ?? '',
        attempt: 1,
        outcomes: [first, second].map((item, n) => ({
          itemId: item?.itemId ?? '',
          output: n === 0 ? '{"a":1}' : null,
          error: n === 0 ? null : '{"code":"c","message":"m"}',
          model: MODEL,
          usage: null,
        })),
        final: false,
        error: null,
      },
    ]);
    expect(await openai.cancel(id)).toMatchObject({
      status: 'cancelling',
      cancelling_at: expect.any(Number),
      request_counts: { total: 200, completed: 1, failed: 1 },
      output_file_id: null,
    });
    expect((await openai.cancel(id)).status).toBe('cancelling');
    await settle();
    const batch = await openai.cancel(id);
    expect(batch).toMatchObject({
      status: 'cancelled',
      cancelled_at: expect.any(Number),
      finalizing_at: null,
      completed_at: null,
      request_counts: { total: 200, completed: 1, failed: 199 },
    });
    const output = parsedLines(await lines(batch.output_file_id));
    const errors = parsedLines(await lines(batch.error_file_id));
    expect(output.map(({ custom_id }) => custom_id)).toEqual([first?.itemId]);
    expect(new Set([...output, ...errors].map(({ custom_id }) => custom_id)).size).toBe(200);
    expect(errors.find(({ custom_id }) => custom_id === second?.itemId)?.error).toEqual({
      code: 'c',
      message: 'm',
    });
    const others = errors.filter(({ custom_id }) => custom_id !== second?.itemId);
    expect(new Set(others.map(({ response, error }) => `${response} ${error?.code}`))).toEqual(
      new Set(['null batch_cancelled']),
    );
    expect(await control.db.sql`select from jobs where cancelled_at is null`).toHaveLength(0);
  });

  it('A4: cancels a batch before its file is read, without a job', async () => {
    const { id } = await create(requestLines(3));
    expect((await openai.cancel(id)).status).toBe('cancelling');
    await settle();
    expect(await read(id)).toMatchObject({
      status: 'cancelled',
      in_progress_at: null,
      request_counts: { total: 0, completed: 0, failed: 0 },
      output_file_id: null,
      error_file_id: null,
    });
    expect(await control.db.sql`select from jobs`).toHaveLength(0);
  });

  it('A4: refuses to cancel a batch that has ended, and says so', async () => {
    const { id } = await create('x');
    await settle();
    const response = await openai.post(`/v1/batches/${id}/cancel`, {});
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(await openAiProblem(response, 409)).toMatchObject({
      message: "Cannot cancel a batch with status 'failed'.",
    });
    expect((await read(id)).status).toBe('failed');
  });

  it('A4: cancels a batch whose job was cancelled', async () => {
    const { id } = await create(requestLines(2));
    await settle();
    const [job] = await control.db.sql<{ id: string }[]>`select id from jobs`;
    await openai.post(`/v1/jobs/${job?.id}/cancel`, {});
    await settle();
    expect(await read(id)).toMatchObject({ status: 'cancelled', request_counts: { total: 2, failed: 2 } });
  });

  it('A4: does not start a batch that was cancelled while its file was read', async () => {
    const { id } = await create(requestLines(2));
    const claimed = await control.db.store.batches.claim(30);
    await openai.cancel(id);
    const draft = { jobType: 'noop', model: 'm', params: '{}', shardSize: 1, retryOn: 'attempts' } as const;
    const items = async function* () {
      yield { id: 'a', payload: '1' };
    };
    if (claimed === null) throw new Error('The batch was not claimed.');
    await expect(control.db.store.batches.submit(claimed.claim, [{ draft, items }])).rejects.toThrow(
      /was lost/,
    );
    await control.db.store.batches.release(claimed.claim);
    await settle();
    expect((await read(id)).status).toBe('cancelled');
    expect(await control.db.sql`select from jobs`).toHaveLength(0);
  });
});

describe('the completion window', () => {
  it('A4: ends with finished requests kept and the others as batch_expired', async () => {
    const { id } = await create(requestLines(150));
    await settle();
    const [task] = await openai.lease();
    const outcomes = (task?.items ?? []).map(({ itemId }) => ({
      itemId,
      output: '{}',
      error: null,
      model: MODEL,
      usage: null,
    }));
    const entry = { taskId: task?.taskId ?? '', attempt: 1, outcomes, final: true, error: null };
    await control.db.store.report('ann', [entry]);
    await control.db.sql`update batches set expires_at = now()`;
    await settle();
    const batch = await read(id);
    expect(batch).toMatchObject({
      status: 'expired',
      expired_at: expect.any(Number),
      finalizing_at: expect.any(Number),
      completed_at: null,
      request_counts: { total: 150, completed: outcomes.length, failed: 150 - outcomes.length },
    });
    expect(outcomes.length).toBeGreaterThan(0);
    expect(await lines(batch.output_file_id)).toHaveLength(outcomes.length);
    const errors = parsedLines(await lines(batch.error_file_id));
    expect(new Set(errors.map(({ error }) => error?.code))).toEqual(new Set(['batch_expired']));
    expect(errors).toHaveLength(150 - outcomes.length);
    expect(await openai.lease()).toEqual([]);
    await openAiProblem(await openai.post(`/v1/batches/${id}/cancel`, {}), 409);
  });
});

describe('background work', () => {
  it('A4: an older claim changes nothing', async () => {
    const { batches } = control.db.store;
    const { id } = await create(requestLines(1));
    const old = await batches.claim(30);
    expect(await batches.claim(30)).toBeNull();
    await control.db.sql`update batches set claim_until = now()`;
    const current = await batches.claim(30);
    if (old === null || current === null) throw new Error('The batch was not claimed.');
    expect(await batches.renew(old.claim, 'validating', 30)).toBe(false);
    expect(await batches.renew(current.claim, 'validating', 30)).toBe(true);
    expect(await batches.renew(current.claim, 'cancelling', 30)).toBe(false);
    await batches.release(old.claim);
    expect(await batches.claim(30)).toBeNull();
    await expect(batches.fail(old.claim, '[]')).rejects.toThrow(/was lost/);
    const written = {
      outputFileId: null,
      errorFileId: null,
      completed: 0,
      failed: 0,
      notRun: 0,
      usage: '{}',
      expiresInSeconds: null,
    };
    await expect(batches.finish(old.claim, written)).rejects.toThrow(/was lost/);
    expect(await batches.apply(old.claim, 'cancel')).toBe(false);
    await batches.fail(current.claim, '[]');
    await expect(batches.fail(current.claim, '[]')).rejects.toThrow(/was lost/);
    expect((await read(id)).status).toBe('failed');
  });

  it('A4: publishes both files of a batch with its end, or none', async () => {
    const { batches, files } = control.db.store;
    const { id } = await create(requestLines(1));
    await settle();
    await run(() => ({ output: '{}' }));
    const claimed = await batches.claim(30);
    if (claimed === null) throw new Error('The batch was not claimed.');
    await batches.apply(claimed.claim, 'items_ended');
    const upload = await files.upload({
      owner: '',
      purpose: 'batch_output',
      filename: 'o',
      quotaBytes: null,
    });
    await upload.end();
    const written = { completed: 1, failed: 0, notRun: 0, usage: '{}', expiresInSeconds: null };
    const lost = { ...written, outputFileId: upload.id, errorFileId: `file-${'0'.repeat(32)}` };
    await expect(batches.finish(claimed.claim, lost)).rejects.toThrow(/was lost/);
    expect(await read(id)).toMatchObject({ status: 'finalizing', output_file_id: null });
    expect(await files.find(upload.id)).toBeNull();
    await batches.finish(claimed.claim, { ...written, outputFileId: upload.id, errorFileId: null });
    expect(await read(id)).toMatchObject({ status: 'completed', output_file_id: upload.id });
    expect(await files.find(upload.id)).not.toBeNull();
  });

  it('A4: never prunes a job whose batch has not ended', async () => {
    const { id } = await create(requestLines(1));
    await settle();
    await run(() => ({ output: '{}' }));
    await control.db.sql`update jobs set finished_at = now() - interval '1 day'`;
    const prune = () => control.db.store.prune({ olderThanSeconds: 60, rowLimit: 1000 });
    expect(await control.db.store.prunable(60)).toMatchObject({ jobs: 0 });
    expect(await prune()).toMatchObject({ jobs: 0 });
    await settle();
    expect(await prune()).toMatchObject({ jobs: 1 });
    expect(await read(id)).toMatchObject({
      status: 'completed',
      request_counts: { total: 1, completed: 1, failed: 0 },
    });
  });

  it('A4: deletes batches that ended long ago', async () => {
    const { id } = await create('x');
    const open = await create(requestLines(1));
    await settle();
    await control.db
      .sql`update batches set failed_at = now() - interval '366 days', created_at = now() - interval '366 days'`;
    await control.db.sql`update batches set failed_at = null where id = ${open.id}`;
    await settle();
    await openAiProblem(await control.send('GET', `/v1/batches/${id}`), 404);
    expect((await read(open.id)).status).toBe('in_progress');
  });

  it('A4: two control planes do the work of each batch once', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await create(requestLines(3))).id));
    const { store } = control.db;
    const runners = [1, 2].map(() =>
      createBatchRunner({ store, onError: (error) => openai.failures.push(error) }),
    );
    const settleBoth = () => Promise.all(runners.map((runner) => runner.settle()));
    await settleBoth();
    expect(await control.db.sql`select from jobs`).toHaveLength(6);
    expect(await run(() => ({ output: '{}' }))).toBe(18);
    await settleBoth();
    for (const id of ids) expect((await read(id)).status).toBe('completed');
    expect(await control.db.sql`select from files where purpose = 'batch_output'`).toHaveLength(6);
  });

  it('A4: gives each batch to one of the control planes that claim at the same time', async () => {
    const created = await Promise.all([1, 2, 3].map(() => create(requestLines(1))));
    const { batches } = control.db.store;
    const claimed = await Promise.all(Array.from({ length: 9 }, () => batches.claim(30)));
    const ids = claimed.flatMap((one) => (one === null ? [] : [one.batch.id]));
    expect(ids.sort()).toEqual(created.map(({ id }) => id).sort());
  });

  it('A4: never deletes the file of a batch that is created at the same time', async () => {
    const { sql } = control.db;
    // The batch is inserted, but waits for the test before it is committed.
    await sql.unsafe(`
      create function stop_insert() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock(4711); return new; end $$;
      create trigger stop_insert after insert on batches for each row execute function stop_insert()`);
    const lock = await sql.reserve();
    try {
      const file = await uploaded(control, requestLines(1));
      await lock`select pg_advisory_lock(4711)`;
      const created = openai.createFrom(file);
      await waitForBlockedSession(sql, 1);
      const deleted = control.send('DELETE', `/v1/files/${file}`);
      await Promise.race([deleted, waitForBlockedSession(sql, 2)]);
      await lock`select pg_advisory_unlock(4711)`;
      expect([(await created).status, (await deleted).status]).toEqual([200, 409]);
    } finally {
      lock.release();
      await sql`drop function stop_insert cascade`;
    }
  });
});
