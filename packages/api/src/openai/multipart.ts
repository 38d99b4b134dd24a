import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { OpenAiRefusal } from './openai-refusal.ts';

/** Parts of a form that are not files. OpenAI's own forms have three. */
const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 64 * 1024;

export interface MultipartForm {
  /** The parts that are not files, by name. */
  readonly fields: ReadonlyMap<string, string>;
  /** The number of parts that are files. */
  readonly files: number;
}

/** Stores a file while it arrives. `fieldsBefore` are the parts before it. */
export type OnFile = (
  chunks: AsyncIterable<Uint8Array>,
  filename: string | undefined,
  fieldsBefore: ReadonlyMap<string, string>,
) => Promise<void>;

/**
 * Reads a multipart form. Passes the first file that is named `file` to `onFile` while it arrives. Throws
 * `OpenAiRefusal` if the body is no complete form, and what `body` and `onFile` throw.
 */
export async function readMultipart(
  contentType: string | undefined,
  body: AsyncIterable<Uint8Array>,
  onFile: OnFile,
): Promise<MultipartForm> {
  const parser = createParser(contentType);
  const fields = new Map<string, string>();
  let files = 0;
  let current: Readable | undefined;
  let stored: Promise<void> = Promise.resolve();
  /** An error of `body` or `onFile`. All other errors are the parser's, and about the form. */
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
    parser.destroy(failure);
  };

  async function* chunksOf(file: Readable): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* file;
    } catch {
      throw failure ?? invalidForm();
    }
  }
  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated)
      fail(new OpenAiRefusal(400, 'invalid_multipart', `The form field ${name} is too long.`, name));
    fields.set(name, value);
  });
  for (const limit of ['fieldsLimit', 'partsLimit'] as const) {
    parser.on(limit, () =>
      fail(new OpenAiRefusal(400, 'invalid_multipart', `The form may have at most ${MAX_FIELDS} fields.`)),
    );
  }
  parser.on('file', (name, file, filename: string | undefined) => {
    files += 1;
    file.on('error', () => undefined); // the parser has the same error
    if (name !== 'file' || files > 1) {
      file.resume();
      return;
    }
    current = file;
    stored = onFile(chunksOf(file), filename, fields);
    stored.catch(fail);
  });
  const parsed = finished(parser);
  parsed.catch(() => undefined); // awaited below
  try {
    for await (const chunk of body) {
      if (parser.destroyed) break;
      if (!parser.write(chunk)) await drainedOrEnded(parser);
    }
  } catch (error) {
    if (!parser.errored) fail(error instanceof Error ? error : new Error(String(error)));
  }
  try {
    if (!parser.destroyed) parser.end();
    await parsed;
  } catch {
    parser.destroy();
    current?.destroy(failure ?? invalidForm());
    await stored;
    throw failure ?? invalidForm();
  }
  await stored;
  return { fields, files };
}

function createParser(contentType: string | undefined) {
  if (contentType === undefined || !/^multipart\/form-data\s*;/i.test(contentType))
    throw new OpenAiRefusal(
      400,
      'invalid_multipart',
      'Send the file as multipart/form-data with a boundary.',
    );
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, parts: MAX_FIELDS + 2 },
    });
  } catch {
    throw new OpenAiRefusal(400, 'invalid_multipart', 'The multipart/form-data has no valid boundary.');
  }
}

function invalidForm(): OpenAiRefusal {
  return new OpenAiRefusal(400, 'invalid_multipart', 'The multipart/form-data is cut off or not valid.');
}

/** Resolves when a stream takes more data, or never will. Adds nothing to a promise that lasts as long as the upload. */
async function drainedOrEnded(stream: Writable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['drain', 'close', 'error'] as const;
  const end = () => resolve();
  for (const event of events) stream.on(event, end);
  await promise;
  for (const event of events) stream.off(event, end);
}
