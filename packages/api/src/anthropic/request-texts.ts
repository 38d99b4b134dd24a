import { wideEncoding } from '@macbatch/contract';
import { ElementProblem, ElementSplitter } from '@macbatch/core';
import { smallPieces } from '../openai/small-pieces.ts';
import { AnthropicRefusal } from './anthropic-refusal.ts';

/**
 * Reads the body `{"requests": […]}` and yields the exact texts of the requests, all that end in one piece together.
 * Throws `AnthropicRefusal` when the body is not such an object.
 */
export async function* requestTexts(
  chunks: AsyncIterable<Uint8Array>,
  maxRequestLength: number,
): AsyncGenerator<readonly string[], void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const splitter = new ElementSplitter('requests', maxRequestLength);
  let isFirst = true;
  try {
    for await (const piece of smallPieces(chunks)) {
      if (isFirst) refuseWide(piece);
      isFirst = false;
      const texts = [...splitter.add(decoder.decode(piece, { stream: true }))];
      if (texts.length > 0) yield texts;
    }
    decoder.decode();
    splitter.end();
  } catch (error) {
    if (error instanceof ElementProblem) throw new AnthropicRefusal(400, `The body ${error.message}.`);
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new AnthropicRefusal(400, 'The body is not UTF-8.');
    throw error;
  }
}

function refuseWide(start: Uint8Array): void {
  const wide = wideEncoding(start);
  if (wide !== null) throw new AnthropicRefusal(400, `The body is ${wide}, not UTF-8.`);
}
