import type { Runtime } from '../runtimes/runtime.ts';
import { EmbeddingProcess } from '../runtimes/use-lite/embedding-process.ts';

/** A runtime over a real child process that dies at the texts `abort…`, `exit`, `kill` and `die-in-company`. */
export interface DyingRuntime extends Runtime {
  /** Texts in the order of their starts, each with the largest number of texts that ran concurrently with it. */
  readonly runs: readonly { readonly text: string; readonly concurrent: number }[];
}

/** With `abort-at-start`, every child dies before it has its model. */
export function dyingRuntime(start = 'well'): DyingRuntime {
  const child = new EmbeddingProcess(start, new URL('./dying-child.ts', import.meta.url));
  const runs: { readonly text: string; concurrent: number }[] = [];
  const running = new Set<{ concurrent: number }>();
  return {
    name: 'dying',
    runs,
    offers: [{ job_type: 'embed', model: 'dying' }],
    async run({ payload, signal }) {
      const text = String(payload);
      const run = { text, concurrent: 0 };
      runs.push(run);
      running.add(run);
      for (const each of running) each.concurrent = Math.max(each.concurrent, running.size);
      try {
        const { digest } = await child.read(text, signal);
        return { output: JSON.stringify(text), model: { name: 'dying', digest }, usage: null };
      } finally {
        running.delete(run);
      }
    },
    close: () => child.close(),
  };
}
