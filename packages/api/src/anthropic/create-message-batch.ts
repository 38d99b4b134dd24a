import { anthropicRoutes } from '@macbatch/contract';
import { type Item, parseMessageRequest } from '@macbatch/core';
import type { Batch, ItemSource, MessageBatchReply, Quota } from '@macbatch/store';
import type { Context } from 'hono';
import type { Caller } from '../auth/caller.ts';
import { batchJobDraft } from '../openai/batch-job-draft.ts';
import type { FileLimits } from '../openai/file-upload.ts';
import { parseInput } from '../openai/read-input.ts';
import type { Surface } from '../requests/mount.ts';
import { RefusedRequest } from '../requests/refused-request.ts';
import { bodyChunks } from '../requests/request-body.ts';
import { AnthropicRefusal } from './anthropic-refusal.ts';
import { type MessageBatchLimits, type ReceivedRequests, receiveRequests } from './receive-requests.ts';

const ENDPOINT = '/v1/messages';
const WINDOW_SECONDS = 24 * 60 * 60;
const IDEMPOTENCY_KEY = anthropicRoutes.createMessageBatch.request.headers.shape['idempotency-key'];

export interface CreateOptions {
  readonly limits: MessageBatchLimits & FileLimits;
  /** Limits on the unfinished jobs of one group; null for no limit. */
  readonly quota: Quota | null;
  /** Requests take the outcomes of equal requests in earlier jobs. */
  readonly reuse: boolean;
  readonly hasRoom: () => Promise<boolean>;
}

/** Creates the batch that a request describes. Throws `AnthropicRefusal` and `RefusedRequest`. */
export async function createMessageBatch(
  { store, limits: bodyLimits }: Surface,
  { limits, quota, reuse, hasRoom }: CreateOptions,
  c: Context,
  { owner, keyId }: Caller,
): Promise<Batch> {
  const idempotencyKey = parseInput(IDEMPOTENCY_KEY, c.req.header('idempotency-key')) ?? null;
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new RefusedRequest('unsupported_media_type', 'Send application/json.');
  const received = await receiveRequests(store.files, {
    chunks: bodyChunks(c, bodyLimits),
    owner,
    // While no key is needed there are no groups, and no quotas either.
    limits: keyId === null ? { ...limits, fileQuotaBytes: null } : limits,
    hasRoom,
  });
  try {
    const isOnlyModel = received.models.length === 1;
    return createdBatch(
      await store.batches.createMessages({
        owner,
        endpoint: ENDPOINT,
        windowSeconds: WINDOW_SECONDS,
        resultsExpireSeconds: limits.fileExpirySeconds,
        idempotencyKey,
        bodyDigest: received.digest,
        jobs: received.models.map((model) => ({
          draft: batchJobDraft({ owner, endpoint: ENDPOINT, model, reuse, quota, filename: null }),
          items: () => itemsOf(received, isOnlyModel ? null : model),
        })),
      }),
    );
  } finally {
    await received.discard();
  }
}

function createdBatch(reply: MessageBatchReply): Batch {
  switch (reply.outcome) {
    case 'created':
    case 'existing':
      return reply.batch;
    case 'key_reused':
      throw new AnthropicRefusal(
        409,
        `This idempotency key belongs to ${reply.batch.id} with another body. Send the same body or another key.`,
      );
    case 'refused':
      throw refusalOf(reply.reply);
  }
}

function refusalOf(reply: Extract<MessageBatchReply, { readonly outcome: 'refused' }>['reply']): Error {
  if (reply.outcome !== 'over_quota')
    return new Error(`A job was refused after its requests were checked: ${reply.outcome}.`);
  const { items, payloadBytes } = reply.quota;
  return new AnthropicRefusal(
    429,
    `The unfinished jobs of one group may have at most ${items} items and ${payloadBytes} bytes together. Create the batch again when others have ended.`,
  );
}

/** Reads the items of one model, or of all requests. */
async function* itemsOf(received: ReceivedRequests, model: string | null): ItemSource {
  for await (const texts of received.texts()) {
    const items = texts.flatMap((text): Item[] => {
      const parsed = parseMessageRequest(text);
      if (!parsed.ok) throw new Error('A request has changed since it was checked.');
      const { customId, params } = parsed.request;
      return model === null || parsed.request.model === model ? [{ id: customId, payload: params }] : [];
    });
    if (items.length > 0) yield items;
  }
}
