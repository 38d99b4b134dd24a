import { setTimeout } from 'node:timers/promises';
import { post } from './post.ts';

interface Leased {
  readonly tasks: readonly {
    readonly task_id: string;
    readonly attempt: number;
    readonly items: readonly { readonly item_id: string }[];
  }[];
}

export interface PacedPool {
  /** Ends the workers. Rejects if one of them failed. */
  stop(): Promise<void>;
}

/** Runs no-op workers over HTTP that lease one task at a time and report it after `taskMs`, until they are stopped. */
export function runPacedPool(
  url: string,
  { workers, taskMs }: { readonly workers: number; readonly taskMs: number },
): PacedPool {
  const stopped = new AbortController();
  const running = Promise.all(
    Array.from({ length: workers }, async (_, n) => {
      await setTimeout((n * taskMs) / workers); // apart from each other
      while (!stopped.signal.aborted) await runTask(url, `bench-${n}`, taskMs);
    }),
  );
  // Reported by `stop`.
  running.catch(() => undefined);
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

async function runTask(url: string, worker: string, taskMs: number): Promise<void> {
  const lease = JSON.stringify({
    worker_id: worker,
    boot_id: 'bench',
    lease_limit: 1,
    offers: [{ job_type: 'noop', model: 'noop' }],
    renews: true,
  });
  const { tasks } = (await post(`${url}/v1/tasks/lease`, lease)) as Leased;
  await setTimeout(taskMs);
  const entries = tasks.map(({ task_id, attempt, items }) => ({
    task_id,
    attempt,
    outcomes: items.map(({ item_id }) => ({ item_id, output: '{"ok":true}' })),
    final: true,
  }));
  if (entries.length > 0)
    await post(`${url}/v1/tasks/complete_batch`, JSON.stringify({ worker_id: worker, entries }));
}
