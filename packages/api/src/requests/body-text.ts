import { wideEncoding } from '@macbatch/contract';
import { RefusedRequest } from './refused-request.ts';

/** Decodes a JSON body. Throws `RefusedRequest` if it is not UTF-8. */
export function bodyText(bytes: Uint8Array): string {
  const wide = wideEncoding(bytes);
  if (wide !== null) throw new RefusedRequest('invalid_encoding', `The body is ${wide}. Send UTF-8.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RefusedRequest('invalid_encoding', 'The body is not UTF-8.');
  }
}
