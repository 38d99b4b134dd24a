import { createHash } from 'node:crypto';
import { MessageBatchCheck } from '@macbatch/core';
import { FileQuotaExceeded, type FileStore, type FileUpload } from '@macbatch/store';
import { customIdHash } from '../openai/custom-id-hash.ts';
import { roomCheck } from '../openai/room-check.ts';
import { AnthropicRefusal } from './anthropic-refusal.ts';
import { requestTexts } from './request-texts.ts';

/** Limits of message batches. */
export interface MessageBatchLimits {
  readonly maxMessageRequests: number;
  readonly maxMessageBatchBytes: number;
}

interface MessageBody {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly owner: string;
  readonly limits: MessageBatchLimits & {
    /** Longest request, in bytes. */
    readonly maxFileLineBytes: number;
    readonly fileQuotaBytes: number | null;
  };
  readonly hasRoom: () => Promise<boolean>;
}

/** The requests of a batch that were checked. They are kept in a hidden file. */
export interface ReceivedRequests {
  readonly models: readonly string[];
  /** SHA-256 of the body, in hex. */
  readonly digest: string;
  /** The exact texts of the requests. */
  texts(): AsyncIterable<readonly string[]>;
  /** Removes the hidden file. */
  discard(): Promise<void>;
}

/**
 * Stores the body of a new batch in a hidden file while it checks the requests, so that memory does not grow with
 * their number. Throws `AnthropicRefusal` and `RefusedRequest`, and then nothing is kept. A control plane that is
 * killed leaves an abandoned upload.
 */
export async function receiveRequests(files: FileStore, body: MessageBody): Promise<ReceivedRequests> {
  const { limits } = body;
  const upload = await files.upload({
    owner: body.owner,
    purpose: 'message_batch',
    filename: 'requests.json',
    quotaBytes: limits.fileQuotaBytes,
  });
  const check = new MessageBatchCheck(limits.maxMessageRequests, customIdHash);
  const hash = createHash('sha256');
  async function* stored() {
    const checkRoom = roomCheck(body.hasRoom);
    for await (const chunk of body.chunks) {
      await checkRoom(upload.bytes);
      if (upload.bytes + chunk.length > limits.maxMessageBatchBytes)
        throw new AnthropicRefusal(413, `A batch may have at most ${limits.maxMessageBatchBytes} bytes.`);
      hash.update(chunk);
      await upload.write(chunk);
      yield chunk;
    }
  }
  try {
    for await (const texts of requestTexts(stored(), limits.maxFileLineBytes))
      for (const text of texts) refuseInvalid(check.add(text));
    if (check.total === 0) throw new AnthropicRefusal(400, 'requests: must have at least one request.');
    await upload.end();
  } catch (error) {
    await upload.abort();
    if (error instanceof FileQuotaExceeded) throw new AnthropicRefusal(429, error.message);
    throw error;
  }
  return {
    models: check.models(),
    digest: hash.digest('hex'),
    texts: () => requestTexts(upload.read(), limits.maxFileLineBytes),
    discard: () => discard(upload),
  };
}

function refuseInvalid(found: ReturnType<MessageBatchCheck['add']>): void {
  if (found !== null) throw new AnthropicRefusal(400, `${found.member}: ${found.problem}.`);
}

async function discard(upload: FileUpload): Promise<void> {
  await upload.abort();
}
