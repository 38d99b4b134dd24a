import type { Label } from '@macbatch/core';
import { type Offer, RunFailure, type RunRequest, type RunResult, type Runtime } from '../runtime.ts';
import { textOf } from '../text-payload.ts';
import { EmbeddingProcess, type ModelReading } from './embedding-process.ts';
import type { UnavailableCode } from './use-lite-messages.ts';
import { missingPackages } from './use-lite-model.ts';
import { labelsOf, nearestLabel } from './zero-shot.ts';

export const USE_LITE = 'use-lite';
const MODEL_NAME = 'universal-sentence-encoder-lite-en';
/** Label sets whose vectors are cached. A job has one label set. */
const MAX_LABEL_SETS = 64;

const OFFERS: readonly Offer[] = [
  { job_type: 'embed', model: USE_LITE },
  { job_type: 'classify', model: USE_LITE },
];

/** The packages are missing or broken, and stay so while the worker runs. */
const NEEDS_RESTART: ReadonlySet<string> = new Set<UnavailableCode>([
  'runtime_not_installed',
  'runtime_load_failed',
]);

export interface UseLite extends Runtime {
  /** Id of the child process, if one runs. */
  readonly pid: number | undefined;
}

/**
 * Opens a runtime for embeddings and zero-shot classification without a model server. It runs Universal Sentence
 * Encoder lite (English) in a child process that starts with the first item. `modulesFrom`: URL of the file from
 * which it resolves optional packages.
 */
export function useLite({ modulesFrom = import.meta.url }: { modulesFrom?: string } = {}): UseLite {
  const model = new EmbeddingProcess(modulesFrom);
  const labelVectors = new Map<string, Promise<readonly Float32Array[]>>();

  return {
    name: USE_LITE,
    get pid() {
      return model.pid;
    },
    offers: missingPackages(modulesFrom).length === 0 ? OFFERS : [],
    async run(request) {
      request.signal.throwIfAborted();
      try {
        if (request.model === USE_LITE && request.job_type === 'embed') return await embed(request);
        if (request.model === USE_LITE && request.job_type === 'classify') return await classify(request);
      } catch (error) {
        if (!(error instanceof RunFailure) || !NEEDS_RESTART.has(error.code)) throw error;
        throw error.withdrawing({ reach: 'runtime', until: 'restart' });
      }
      throw new RunFailure(
        'not_here',
        'not_supported',
        `use-lite does not run ${request.job_type} with the model "${request.model}"`,
      );
    },
    close: () => model.close(),
  };

  async function embed({ payload, signal }: RunRequest): Promise<RunResult> {
    const reading = await model.read(textOf(payload), signal);
    return result(reading, {
      // Nine digits are exact for a 32-bit float. Seventeen, for its double, would take twice the bytes.
      embedding: Array.from(reading.vector, (x) => Number(x.toPrecision(9))),
      dimensions: reading.vector.length,
    });
  }

  async function classify({ payload, params, signal }: RunRequest): Promise<RunResult> {
    const labels = labelsOf(params);
    const text = textOf(payload);
    const [reading, vectors] = await Promise.all([model.read(text, signal), vectorsOf(labels)]);
    return result(reading, nearestLabel(reading.vector, labels, vectors));
  }

  /** Returns the vectors of labels. Items with the same labels share them, so an aborted item does not stop the work. */
  function vectorsOf(labels: readonly Label[]): Promise<readonly Float32Array[]> {
    const key = JSON.stringify(labels.map(({ description }) => description));
    const known = labelVectors.get(key);
    if (known !== undefined) return known;
    const vectors = Promise.all(labels.map(({ description }) => model.read(description))).then(
      (readings) => readings.map(({ vector }) => vector),
      (error: unknown) => {
        labelVectors.delete(key);
        throw error;
      },
    );
    const [oldest] = labelVectors.keys();
    if (labelVectors.size >= MAX_LABEL_SETS && oldest !== undefined) labelVectors.delete(oldest);
    labelVectors.set(key, vectors);
    return vectors;
  }
}

/** Adds to an outcome how much of the text was read. */
function result({ tokens, truncated, digest }: ModelReading, answer: object): RunResult {
  return {
    output: JSON.stringify({ ...answer, tokens_read: tokens, truncated }),
    model: { name: MODEL_NAME, digest },
    usage: { input_tokens: tokens },
  };
}
