import type { Result } from '@macbatch/store';

/** One line of NDJSON; the output's text is spliced in as the worker wrote it. */
function resultLine(result: Result): string {
  const outcome =
    result.output === null
      ? `"status":"error","error":${result.error}`
      : `"status":"ok","output":${result.output}`;
  return (
    `{"id":${JSON.stringify(result.itemId)},${outcome}` +
    `,"model":${JSON.stringify(result.model)},"model_digest":${JSON.stringify(result.modelDigest)}` +
    `,"worker":${JSON.stringify(result.worker)},"attempt":${result.attempt},"usage":${result.usage}` +
    `,"finished_at":${JSON.stringify(result.recordedAt?.toISOString() ?? null)}${result.reused ? ',"reused":true' : ''}}\n`
  );
}

/** Streams pages of outcomes as NDJSON, one page at a time as the reader takes them. */
export function resultStream(
  pages: AsyncIterable<readonly Result[]>,
  status: 'ok' | 'error' | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = pages[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const page = await iterator.next();
        if (page.done === true) {
          controller.close();
          return;
        }
        const wanted = page.value.filter(
          (result) => status === undefined || (result.output === null) === (status === 'error'),
        );
        if (wanted.length === 0) continue;
        controller.enqueue(encoder.encode(wanted.map(resultLine).join('')));
        return;
      }
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
