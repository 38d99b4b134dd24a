import { elements, member } from '../json-value.ts';
import { RunFailure } from '../runtime.ts';
import { emptyReply } from './empty-reply.ts';

const FLOAT_BYTES = 4;

/**
 * Reads the embedding of a reply. `tokens_read` is the server's count. `truncated` is null for unknown: servers such
 * as Ollama cut long texts without saying so.
 */
export function embedding(reply: unknown, tokensRead: number | undefined): object {
  const data = elements(member(reply, 'data'));
  if (data.length !== 1) throw emptyReply(`the reply has ${data.length} embeddings for 1 text`);
  const vector = vectorOf(member(data[0], 'embedding'));
  if (vector.length === 0) throw emptyReply('the embedding is empty');
  if (!vector.every((x) => Number.isFinite(x))) {
    // The same text gives the same vector.
    throw new RunFailure(
      'permanent',
      'invalid_embedding',
      'the model server answered with an embedding that has members that are not numbers',
    );
  }
  return {
    embedding: vector,
    dimensions: vector.length,
    tokens_read: tokensRead ?? null,
    truncated: member(reply, 'truncated') === false ? false : null,
  };
}

/** Some servers send base64 of 32-bit floats, also when they are asked for numbers. */
function vectorOf(sent: unknown): readonly unknown[] {
  if (typeof sent !== 'string') return elements(sent);
  const bytes = Buffer.from(sent, 'base64');
  return Array.from({ length: Math.floor(bytes.length / FLOAT_BYTES) }, (_, at) =>
    bytes.readFloatLE(at * FLOAT_BYTES),
  );
}
