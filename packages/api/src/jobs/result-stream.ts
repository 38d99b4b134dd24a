import type { Result } from '@macbatch/store';

/**
 * Formats results as lines of NDJSON with the exact text of each output. Adjacent results nearly
 * always share model, worker and time, so the text of these fields is cached.
 */
function lineWriter(withSeq: boolean): (result: Result) => string {
  const model = kept<string | null>(JSON.stringify);
  const digest = kept<string | null>(JSON.stringify);
  const worker = kept<string | null>(JSON.stringify);
  const time = kept(timeText);
  const leased = kept(timeText);
  return (result) => {
    const outcome =
      result.output === null
        ? `"status":"error","error":${result.error}`
        : `"status":"ok","output":${result.output}`;
    return (
      `{${withSeq ? `"seq":${result.seq},"leased_at":${leased(result.leasedAt?.getTime())},` : ''}"id":${JSON.stringify(result.itemId)},${outcome}` +
      `,"model":${model(result.model)},"model_digest":${digest(result.modelDigest)}` +
      `,"worker":${worker(result.worker)},"attempt":${result.attempt},"usage":${result.usage}` +
      `,"finished_at":${time(result.recordedAt?.getTime())}` +
      `${result.requestId === null ? '' : `,"request_id":${JSON.stringify(result.requestId)}`}${result.reused ? ',"reused":true' : ''}}\n`
    );
  };
}

function timeText(ms: number | undefined): string {
  return ms === undefined ? 'null' : `"${new Date(ms).toISOString()}"`;
}

/** Caches the text of the last value. */
function kept<Value>(write: (value: Value) => string): (value: Value) => string {
  let last: { readonly value: Value; readonly text: string } | null = null;
  return (value) => {
    if (last === null || last.value !== value) last = { value, text: write(value) };
    return last.text;
  };
}

/** Streams pages of results as NDJSON, as fast as the reader takes them. Calls `ended` at the end. */
export function resultStream(
  pages: AsyncIterable<readonly Result[]>,
  { status, withSeq }: { readonly status: 'ok' | 'error' | undefined; readonly withSeq: boolean },
  ended: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const line = lineWriter(withSeq);
  const iterator = pages[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const page = await iterator.next().catch((error: unknown) => {
          ended();
          throw error;
        });
        if (page.done === true) {
          ended();
          controller.close();
          return;
        }
        const wanted = page.value.filter(
          (result) => status === undefined || (result.output === null) === (status === 'error'),
        );
        if (wanted.length === 0) continue;
        controller.enqueue(encoder.encode(wanted.map(line).join('')));
        return;
      }
    },
    async cancel() {
      ended();
      await iterator.return?.();
    },
  });
}
