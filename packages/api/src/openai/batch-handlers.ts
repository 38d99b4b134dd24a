import { createHash } from 'node:crypto';
import { type BatchList, BatchListQuery, CreateBatch, openAiRoutes } from '@macbatch/contract';
import type { Batch } from '@macbatch/store';
import type { Context } from 'hono';
import { type Caller, listed, sees } from '../auth/caller.ts';
import { honoPath, type Surface } from '../requests/mount.ts';
import { readJsonBody } from '../requests/request-body.ts';
import { batchObject, clientStatus } from './batch-object.ts';
import { listPage } from './list-page.ts';
import { OpenAiRefusal } from './openai-refusal.ts';
import { parseInput } from './read-input.ts';

const BATCH_ID = /^batch_[0-9a-f]{32}$/;
const FILE_ID = /^file-[0-9a-f]{32}$/;
const IDEMPOTENCY_KEY = openAiRoutes.createBatch.request.headers.shape['idempotency-key'];
/** States in which a cancel has nothing left to cancel. */
const TOO_LATE = ['finalizing', 'expiring', 'completed', 'failed', 'expired'] as const;

/** Mounts `/v1/batches`. Calls `onBatchWork` when there is background work to do. */
export function mountBatches(surface: Surface, onBatchWork: () => void): void {
  const { app, store, authenticator } = surface;
  const admit = (c: Context) => authenticator.admitOpenAi(c);

  const find = async (id: string | undefined, caller: Caller): Promise<Batch> => {
    const batch = id !== undefined && BATCH_ID.test(id) ? await store.batches.find(id) : null;
    if (batch === null || !sees(caller, batch.owner))
      throw new OpenAiRefusal(404, 'not_found', `No such Batch object: ${id}`, 'batch_id');
    return batch;
  };

  app.post(openAiRoutes.createBatch.path, async (c) => {
    const caller = await admit(c);
    const key = parseInput(IDEMPOTENCY_KEY, c.req.header('idempotency-key')) ?? null;
    const body = parseInput(CreateBatch, await readJsonBody(c, surface.limits));
    const { metadata, output_expires_after: expiry } = body;
    const reply = await store.batches.create({
      owner: caller.owner,
      // Other ids could contain what the database refuses.
      inputFileId: FILE_ID.test(body.input_file_id) ? body.input_file_id : '',
      fileOwner: listed(caller),
      endpoint: body.endpoint,
      completionWindow: body.completion_window,
      metadata: metadata == null ? null : JSON.stringify(metadata),
      outputExpiresSeconds: expiry?.seconds ?? null,
      idempotencyKey: key,
      bodyDigest: digestOf(body),
    });
    switch (reply.outcome) {
      case 'created':
        onBatchWork();
        return c.json(batchObject(reply.batch));
      case 'existing':
        return c.json(batchObject(reply.batch));
      case 'key_reused':
        throw new OpenAiRefusal(
          409,
          'idempotency_key_reused',
          `This idempotency key belongs to ${reply.batch.id} with another body. Send the same body or another key.`,
        );
      case 'no_file':
        throw await inputFileRefusal(body.input_file_id, caller);
    }
  });

  app.get(openAiRoutes.listBatches.path, async (c) => {
    const caller = await admit(c);
    const query = parseInput(BatchListQuery, c.req.query());
    await store.reclaim({ force: false });
    const page = {
      api: 'openai' as const,
      owner: listed(caller),
      after: query.after ?? null,
      limit: query.limit + 1,
    };
    const found = await store.batches.list(page);
    const list: BatchList = listPage(found.map(batchObject), query.limit);
    return c.json(list);
  });

  app.get(honoPath(openAiRoutes.readBatch.path), async (c) => {
    const caller = await admit(c);
    await store.reclaim({ force: false });
    return c.json(batchObject(await find(c.req.param('batch_id'), caller)));
  });

  app.post(honoPath(openAiRoutes.cancelBatch.path), async (c) => {
    const caller = await admit(c);
    const { id } = await find(c.req.param('batch_id'), caller);
    await store.batches.cancel(id);
    onBatchWork();
    const batch = await find(id, caller);
    if (TOO_LATE.some((state) => state === batch.state)) {
      throw new OpenAiRefusal(
        409,
        'batch_not_cancellable',
        `Cannot cancel a batch with status '${clientStatus(batch.state)}'.`,
      );
    }
    return c.json(batchObject(batch));
  });

  /** Says why a file cannot be the input of a batch. */
  async function inputFileRefusal(id: string, caller: Caller): Promise<OpenAiRefusal> {
    const file = FILE_ID.test(id) ? await store.files.find(id) : null;
    if (file === null || !sees(caller, file.owner) || file.purpose === 'batch')
      return new OpenAiRefusal(404, 'not_found', `No such File object: ${id}`, 'input_file_id');
    return new OpenAiRefusal(
      400,
      'invalid_value',
      `The file ${id} has the purpose ${file.purpose}. The input file of a batch must have the purpose batch.`,
      'input_file_id',
    );
  }
}

/** Distinguishes bodies. Members in another order are the same body. */
function digestOf(body: CreateBatch): string {
  const { metadata, output_expires_after: expiry } = body;
  const pairs = Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = [body.input_file_id, body.endpoint, body.completion_window, pairs, expiry?.seconds ?? null];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
