import { messageOf } from '@macbatch/core';
import type { Context } from 'hono';
import pTimeout from 'p-timeout';
import { bodyText } from './body-text.ts';
import { RefusedRequest } from './refused-request.ts';

export interface BodyLimits {
  /** Largest JSON body in bytes. A JSON body is held in memory. */
  readonly maxJsonBytes: number;
  /** Longest line of an NDJSON body in bytes. The number of lines is unlimited. */
  readonly maxLineBytes: number;
  /** Longest time between two chunks of a body, in milliseconds. */
  readonly bodyIdleMs: number;
  /** Longest time for a whole body, in milliseconds. A submission keeps a transaction open for as long. */
  readonly bodyTotalMs: number;
}

/** Lowest rate at which a JSON body may arrive, in bytes per millisecond. */
const SLOWEST = 16;

/** Yields the chunks of a request's body. Throws `RefusedRequest` if they stop arriving. */
export async function* bodyChunks(
  c: Context,
  limits: Pick<BodyLimits, 'bodyIdleMs' | 'bodyTotalMs'>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoding = c.req.header('content-encoding');
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new RefusedRequest(
      'unsupported_media_type',
      `Send the body without the Content-Encoding ${encoding}.`,
    );
  }
  const body = c.req.raw.body;
  if (body === null) return;
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const startedAt = performance.now();
  try {
    for (;;) {
      const leftMs = startedAt + limits.bodyTotalMs - performance.now();
      if (leftMs <= 0) {
        const minutes = limits.bodyTotalMs / 60_000;
        throw new RefusedRequest(
          'request_timeout',
          `The body took longer than ${minutes} minutes. Split it, or raise MACBATCH_UPLOAD_MINUTES of the control plane.`,
        );
      }
      const { done, value } = await within(limits.bodyIdleMs, reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    // The consumer has stopped early: cancel the rest.
    reader.cancel().catch(() => undefined);
  }
}

/** Reads a JSON body. Throws `RefusedRequest`. */
export async function readJsonBody(c: Context, limits: BodyLimits): Promise<unknown> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new RefusedRequest('unsupported_media_type', 'Send application/json.');
  const text = bodyText(await readBytes(c, limits));
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RefusedRequest('invalid_json', `The body is not JSON: ${messageOf(error)}`);
  }
}

async function readBytes(c: Context, limits: BodyLimits): Promise<Uint8Array> {
  const tooLarge = () =>
    new RefusedRequest('body_too_large', `The body may have at most ${limits.maxJsonBytes} bytes.`);
  const declared = Number(c.req.header('content-length') ?? Number.NaN);
  if (declared > limits.maxJsonBytes) throw tooLarge();
  if (Number.isFinite(declared) && c.req.header('content-encoding') === undefined) {
    // One read is much faster than one per chunk.
    const ms = limits.bodyIdleMs + declared / SLOWEST;
    return new Uint8Array(await within(ms, c.req.arrayBuffer()));
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bodyChunks(c, limits)) {
    length += chunk.length;
    if (length > limits.maxJsonBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function within<Value>(timeoutMs: number, value: Promise<Value>): Promise<Value> {
  return pTimeout(value, {
    milliseconds: timeoutMs,
    fallback: () => {
      throw new RefusedRequest('request_timeout', 'The body stopped arriving or arrives too slowly.');
    },
  });
}
