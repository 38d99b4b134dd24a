import type { FileStore, StoredFile } from '@macbatch/store';
import { requestedRange } from './byte-range.ts';
import { OpenAiRefusal } from './openai-refusal.ts';

/** Answers with the bytes of a file, or with the range that the request asks for. Calls `ended` at the end. */
export function fileContentReply(
  files: FileStore,
  file: StoredFile,
  rangeHeader: string | undefined,
  ended: () => void,
  contentType = 'application/octet-stream',
): Response {
  const wanted = requestedRange(rangeHeader, file.bytes);
  if (wanted === 'unsatisfiable') {
    ended();
    throw new OpenAiRefusal(
      416,
      'invalid_range',
      `The file has ${file.bytes} bytes, the requested range begins behind them.`,
    );
  }
  const { start, end } = wanted === 'whole' ? { start: 0, end: file.bytes } : wanted;
  const stream = byteStream(files.read(file, { start, end }), ended);
  return new Response(stream, {
    status: wanted === 'whole' ? 200 : 206,
    headers: {
      'content-type': contentType,
      'content-disposition': disposition(file.filename),
      'content-length': String(end - start),
      'accept-ranges': 'bytes',
      ...(wanted === 'whole' ? {} : { 'content-range': `bytes ${start}-${end - 1}/${file.bytes}` }),
    },
  });
}

function byteStream(chunks: AsyncIterable<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (next.done !== true) {
          controller.enqueue(next.value);
          return;
        }
      } catch (error) {
        ended();
        throw error;
      }
      ended();
      controller.close();
    },
    async cancel() {
      ended();
      await iterator.return?.();
    },
  });
}

/** Names the file for browsers and curl. Header values hold ASCII only: RFC 6266 encodes the rest. */
function disposition(filename: string): string {
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
