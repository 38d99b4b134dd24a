import { post } from './post.ts';

/**
 * The load generator: runs all jobs of a work type over HTTP, and sends the parent the number of tasks and the seconds.
 */
const [url = '', batch = '100', workers = '4', jobType = 'noop', model = 'noop', output = '{"ok":true}'] =
  process.argv.slice(2);

interface Leased {
  readonly tasks: readonly {
    readonly task_id: string;
    readonly attempt: number;
    readonly items: readonly { readonly item_id: string }[];
  }[];
}
interface Reported {
  readonly entries: readonly { readonly outcome: string }[];
}

async function work(worker: string): Promise<number> {
  const ask = JSON.stringify({
    worker_id: worker,
    boot_id: 'bench',
    lease_limit: Number(batch),
    offers: [{ job_type: jobType, model }],
    renews: true,
  });
  for (let done = 0; ; ) {
    const { tasks } = (await post(`${url}/v1/tasks/lease`, ask)) as Leased;
    if (tasks.length === 0) return done;
    const entries = tasks.map((task) => ({
      task_id: task.task_id,
      attempt: task.attempt,
      outcomes: task.items.map(({ item_id }) => ({ item_id, output })),
      final: true,
    }));
    const report = JSON.stringify({ worker_id: worker, entries });
    const reply = (await post(`${url}/v1/tasks/complete_batch`, report)) as Reported;
    const refused = reply.entries.find(({ outcome }) => outcome !== 'accepted');
    if (refused !== undefined) throw new Error(`a completion was ${refused.outcome}`);
    done += tasks.length;
  }
}

const started = performance.now();
const counts = await Promise.all(Array.from({ length: Number(workers) }, (_, n) => work(`bench-${n}`)));
const seconds = (performance.now() - started) / 1000;
const tasks = counts.reduce((total, count) => total + count, 0);
process.send?.({ tasks, seconds }, () => process.exit());
