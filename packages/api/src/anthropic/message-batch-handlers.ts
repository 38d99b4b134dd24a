import {
  anthropicRoutes,
  type MessageBatchDeleted,
  type MessageBatchList,
  MessageBatchListQuery,
} from '@macbatch/contract';
import type { Batch } from '@macbatch/store';
import type { Context } from 'hono';
import { type Caller, listed, sees } from '../auth/caller.ts';
import { fileContentReply } from '../openai/file-content-reply.ts';
import { listPage } from '../openai/list-page.ts';
import { parseInput } from '../openai/read-input.ts';
import { honoPath, type Surface } from '../requests/mount.ts';
import { AnthropicRefusal } from './anthropic-refusal.ts';
import { type CreateOptions, createMessageBatch } from './create-message-batch.ts';
import { messageBatchObject, processingStatus } from './message-batch-object.ts';

const BATCH_ID = /^msgbatch_[0-9a-f]{32}$/;

interface MessageBatchOptions extends CreateOptions {
  /** The URL of the control plane as the sender of a request knows it. */
  readonly originOf: (c: Context) => string;
  /** Called when there is background work to do. */
  readonly onBatchWork: () => void;
}

/** Mounts `/v1/messages/batches`. */
export function mountMessageBatches(surface: Surface, options: MessageBatchOptions): void {
  const { app, store, authenticator } = surface;
  const admit = (c: Context) => authenticator.admitAnthropic(c);
  const reply = (c: Context, batch: Batch) => c.json(messageBatchObject(batch, options.originOf(c)));

  const find = async (c: Context, caller: Caller): Promise<Batch> => {
    const id = c.req.param('message_batch_id') ?? '';
    const batch = BATCH_ID.test(id) ? await store.batches.find(id) : null;
    if (batch === null || !sees(caller, batch.owner))
      throw new AnthropicRefusal(404, `There is no message batch ${id}.`);
    return batch;
  };

  app.post(anthropicRoutes.createMessageBatch.path, async (c) => {
    const caller = await admit(c);
    const endStream = authenticator.stream(caller);
    try {
      return reply(c, await createMessageBatch(surface, options, c, caller));
    } finally {
      endStream();
    }
  });

  app.get(anthropicRoutes.listMessageBatches.path, async (c) => {
    const caller = await admit(c);
    const query = parseInput(MessageBatchListQuery, c.req.query());
    await store.reclaim({ force: false });
    const before = query.before_id ?? null;
    const found = await store.batches.list({
      api: 'anthropic',
      owner: listed(caller),
      after: query.after_id ?? null,
      before,
      limit: query.limit + 1,
    });
    // Of batches that are newer than `before`, the one too many is the newest.
    const extra = Math.max(found.length - query.limit, 0);
    const shown = before === null ? found : [...found.slice(extra), ...found.slice(0, extra)];
    const { object: _, ...list } = listPage(
      shown.map((batch) => messageBatchObject(batch, options.originOf(c))),
      query.limit,
    );
    return c.json(list satisfies MessageBatchList);
  });

  app.get(honoPath(anthropicRoutes.readMessageBatch.path), async (c) => {
    const caller = await admit(c);
    await store.reclaim({ force: false });
    return reply(c, await find(c, caller));
  });

  app.post(honoPath(anthropicRoutes.cancelMessageBatch.path), async (c) => {
    const caller = await admit(c);
    const { id } = await find(c, caller);
    await store.batches.cancel(id);
    options.onBatchWork();
    const batch = await find(c, caller);
    // A batch whose results are being written, or that was cancelled before, has nothing left to cancel.
    if (processingStatus(batch) === 'ended' && batch.state !== 'cancelled')
      throw new AnthropicRefusal(400, `The message batch ${id} has ended, so it cannot be canceled.`);
    return reply(c, batch);
  });

  app.get(honoPath(anthropicRoutes.readMessageBatchResults.path), async (c) => {
    const caller = await admit(c);
    const batch = await find(c, caller);
    if (processingStatus(batch) !== 'ended')
      throw new AnthropicRefusal(400, `The message batch ${batch.id} has no results yet: it has not ended.`);
    const file = batch.outputFileId === null ? null : await store.files.find(batch.outputFileId);
    if (file === null)
      throw new AnthropicRefusal(
        404,
        `The results of the message batch ${batch.id} are not available any more.`,
      );
    // Hono answers HEAD with the headers of GET. Nobody reads that body, so it must not count as an open download.
    const ended = c.req.method === 'HEAD' ? () => undefined : authenticator.stream(caller);
    return fileContentReply(store.files, file, c.req.header('range'), ended, 'application/x-jsonl');
  });

  app.delete(honoPath(anthropicRoutes.deleteMessageBatch.path), async (c) => {
    const caller = await admit(c);
    const batch = await find(c, caller);
    if (processingStatus(batch) !== 'ended')
      throw new AnthropicRefusal(
        400,
        `The message batch ${batch.id} is still being processed. Cancel it, and delete it when it has ended.`,
      );
    const file = batch.outputFileId === null ? null : await store.files.find(batch.outputFileId);
    await store.batches.delete(batch.id);
    if (file !== null) await store.files.delete(file);
    const deleted: MessageBatchDeleted = { id: batch.id, type: 'message_batch_deleted' };
    return c.json(deleted);
  });
}
