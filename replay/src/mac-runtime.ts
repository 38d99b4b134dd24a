import type { Runtime } from '@macbatch/agent';
import type { Mac } from './mac.ts';
import { itemNamed, type Workload } from './workload.ts';

/** The job type of all items. The workload defines their cost. */
export const JOB_TYPE = 'noop';

/** Counts how often each bad item was run in the whole pool. */
export class BadItemRuns {
  readonly #runs = new Map<string, number>();

  started(name: string): void {
    this.#runs.set(name, (this.#runs.get(name) ?? 0) + 1);
  }

  get counts(): number[] {
    return [...this.#runs.values()];
  }
}

/** Creates the runtime of a Mac for an agent. */
export function macRuntime(mac: Mac, workload: Workload, badItems: BadItemRuns): Runtime {
  const models = [...new Set(workload.jobs.map(({ model }) => model))];
  return {
    name: 'mac',
    offers: models.map((model) => ({ job_type: JOB_TYPE, model })),
    async run({ payload, model, signal }) {
      const { job, n } = itemNamed(payload);
      const items = workload.jobs[job];
      const cost = items?.costs[n];
      if (items === undefined || cost === undefined) throw new Error(`there is no item ${n} of job ${job}`);
      const poison = items.poison.get(n) ?? null;
      if (poison !== null) badItems.started(`${job}/${n}`);
      await mac.run({ cost, poison, model, signal });
      return { output: String(n), model: { name: model, digest: null }, usage: null };
    },
    close: async () => undefined,
  };
}
