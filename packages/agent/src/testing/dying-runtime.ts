import type { Runtime } from '../runtimes/runtime.ts';
import { EmbeddingProcess } from '../runtimes/use-lite/embedding-process.ts';

/** A runtime over a real child process that dies of some texts: `abort…`, `exit`, `kill`, `die-in-company`. */
export interface DyingRuntime extends Runtime {
  /** Texts in the order in which they were started, each with the most that ran at once while it did. */
  readonly runs: readonly { readonly text: string; readonly company: number }[];
}

/** `start` may be `abort-at-start`: then no child ever gets up. */
export function dyingRuntime(start = 'well'): DyingRuntime {
  const child = new EmbeddingProcess(start, new URL('./dying-child.ts', import.meta.url));
  const runs: { readonly text: string; company: number }[] = [];
  const running = new Set<{ company: number }>();
  return {
    name: 'dying',
    runs,
    offers: [{ job_type: 'embed', model: 'dying' }],
    async run({ payload, signal }) {
      const text = String(payload);
      const run = { text, company: 0 };
      runs.push(run);
      running.add(run);
      for (const each of running) each.company = Math.max(each.company, running.size);
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
