import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import type { ReplyHeaders } from './retry-after.ts';

/** Bounds of one request, from its start to the last byte of its reply. */
export interface RequestBounds {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface BoundedReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly text: string;
  /** The reply is longer. `text` is its beginning. */
  readonly isTooLong: boolean;
  /** Bytes of the reply are not text in its encoding. `text` has U+FFFD in their place. */
  readonly isDamaged: boolean;
}

export interface BoundedRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly dispatcher: Dispatcher;
}

const DECOMPRESS: readonly {
  readonly encodings: readonly string[];
  readonly run: (body: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;
}[] = [
  { encodings: ['gzip', 'x-gzip', 'deflate'], run: promisify(unzip) },
  { encodings: ['br'], run: promisify(brotliDecompress) },
];

/** A request that got no whole reply. */
export class RequestFailure extends Error {
  /** The time was over. */
  readonly isTimeout: boolean;
  /** The headers of a reply had arrived. */
  readonly bytesArrived: boolean;
  constructor(cause: unknown, { isTimeout, bytesArrived }: { isTimeout: boolean; bytesArrived: boolean }) {
    super('no whole reply', { cause });
    this.name = 'RequestFailure';
    this.isTimeout = isTimeout;
    this.bytesArrived = bytesArrived;
  }
}

/**
 * Sends a request and reads its reply. Both together end within the time limit, however slowly bytes arrive, and no
 * more than the size limit is kept in memory. Rejects with `RequestFailure`, or with the reason of `signal`.
 */
export async function boundedRequest(
  url: string,
  { method, headers, body, dispatcher }: BoundedRequest,
  { timeoutMs, maxBytes }: RequestBounds,
  signal?: AbortSignal,
): Promise<BoundedReply> {
  signal?.throwIfAborted();
  const timeOver = new Error(`no whole reply within ${timeoutMs} ms`);
  const end = new AbortController();
  // After this process has stood still, bytes that arrived in time are read first.
  const timer = setTimeout(() => setImmediate(() => end.abort(timeOver)), timeoutMs);
  const abort = () => end.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  let bytesArrived = false;
  try {
    const reply = await request(url, {
      ...{ method, headers, dispatcher, signal: end.signal, headersTimeout: 0, bodyTimeout: 0 },
      // A connection of its own: on one that was used before, a surplus reply of the server would answer this request.
      reset: true,
      ...(body === undefined ? {} : { body }),
    });
    bytesArrived = true;
    const { statusCode: status, headers: replyHeaders, body: replyBody } = reply;
    return { status, headers: replyHeaders, ...(await textOf(replyBody, maxBytes, replyHeaders)) };
  } catch (error) {
    signal?.throwIfAborted();
    throw new RequestFailure(error, { isTimeout: end.signal.reason === timeOver, bytesArrived });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Reads a body. Leaving the loop early closes the connection. */
async function textOf(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  headers: ReplyHeaders,
): Promise<Pick<BoundedReply, 'text' | 'isTooLong' | 'isDamaged'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > maxBytes) break;
  }
  if (bytes > maxBytes) {
    const { text } = textIn(Buffer.concat(chunks).subarray(0, maxBytes), headers);
    // The limit may have cut a character.
    return { text, isTooLong: true, isDamaged: false };
  }
  const plain = await decompressed(Buffer.concat(chunks), headers['content-encoding'], maxBytes);
  return plain === null
    ? { text: '', isTooLong: true, isDamaged: false }
    : { ...textIn(plain, headers), isTooLong: false };
}

/** The codings of a body in the order in which they were applied (RFC 9110, section 8.4). */
function codingsOf(header: unknown): readonly string[] {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/**
 * Decompresses a body that a gateway has compressed unasked. A coding that is not known is left as it is. Returns null
 * if the body is longer than allowed.
 */
async function decompressed(body: Buffer, header: unknown, maxBytes: number): Promise<Buffer | null> {
  let plain = body;
  try {
    for (const coding of codingsOf(header).toReversed()) {
      const decompress = DECOMPRESS.find(({ encodings }) => encodings.includes(coding))?.run;
      if (decompress === undefined) return plain;
      plain = await decompress(plain, { maxOutputLength: maxBytes });
    }
    return plain;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Decodes UTF-8, or the encoding that the reply names. */
function textIn(bytes: Buffer, headers: ReplyHeaders): Pick<BoundedReply, 'text' | 'isDamaged'> {
  const label = /charset="?([\w-]+)/i.exec(String(headers['content-type']))?.[1] ?? 'utf-8';
  try {
    return { text: decoder(label, true).decode(bytes), isDamaged: false };
  } catch {
    return { text: decoder(label, false).decode(bytes), isDamaged: true };
  }
}

function decoder(label: string, fatal: boolean) {
  try {
    return new TextDecoder(label, { fatal });
  } catch {
    return new TextDecoder('utf-8', { fatal });
  }
}
