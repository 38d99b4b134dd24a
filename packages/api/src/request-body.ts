import type { Context } from 'hono';
import { Refusal } from './refusal.ts';

/** The chunks of a request's body, as they arrive. */
export async function* bodyChunks(c: Context): AsyncGenerator<Uint8Array, void, undefined> {
  const body = c.req.raw.body;
  if (body === null) return;
  for await (const chunk of body) yield chunk;
}

/** Reads a JSON body of at most `maxBytes`. Throws `Refusal`. */
export async function readJsonBody(c: Context, maxBytes: number): Promise<unknown> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Refusal('unsupported_media_type', 'Send application/json.');
  const tooLarge = () => new Refusal('body_too_large', `The body has at most ${maxBytes} bytes here.`);
  const declared = c.req.header('content-length');
  let bytes: Uint8Array;
  if (declared === undefined) {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of bodyChunks(c)) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    bytes = Buffer.concat(chunks);
  } else {
    if (Number(declared) > maxBytes) throw tooLarge();
    bytes = new Uint8Array(await c.req.arrayBuffer());
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('invalid_encoding', 'The body is not UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal(
      'invalid_json',
      `The body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
    );
  }
}
