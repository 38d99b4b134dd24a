import { API_VERSION } from '@macbatch/contract';
import type { Pulse } from '@macbatch/store';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type PrometheusContentType,
  type Registry,
} from 'prom-client';
import { VERSION } from './version.ts';

interface PulseMetric {
  readonly name: string;
  readonly help: string;
  readonly value: (pulse: Pulse) => number;
}

const GAUGES: readonly PulseMetric[] = [
  {
    name: 'macbatch_jobs_unfinished',
    help: 'Jobs with tasks to run',
    value: (pulse) => pulse.unfinishedJobs,
  },
  {
    name: 'macbatch_oldest_unfinished_job_age_seconds',
    help: 'Seconds since the oldest unfinished job was submitted; 0 without one',
    value: (pulse) => pulse.oldestJobSeconds ?? 0,
  },
  {
    name: 'macbatch_oldest_lease_age_seconds',
    help: 'Seconds since the oldest current lease was granted; 0 without one',
    value: (pulse) => pulse.oldestLeaseSeconds ?? 0,
  },
  {
    name: 'macbatch_leases_overdue',
    help: 'Leases that have passed and are not expired yet',
    value: (pulse) => pulse.overdueLeases,
  },
  {
    name: 'macbatch_items_error',
    help: 'Items whose recorded outcome is an error; decreases after retry --items and prune',
    value: (pulse) => pulse.itemsError,
  },
  {
    name: 'macbatch_items_failed',
    help: 'Items without an outcome whose task has failed; decreases after retry and prune',
    value: (pulse) => pulse.itemsFailed,
  },
  {
    name: 'macbatch_database_oldest_transaction_seconds',
    help: 'Age of the oldest open transaction of the database; 0 without one. Vacuum keeps what was deleted since',
    value: (pulse) => pulse.transactions.oldest?.seconds ?? 0,
  },
  {
    name: 'macbatch_database_transaction_id_age',
    help: 'Transactions since the oldest row that is not frozen. Postgres refuses writes at about 2 billion',
    value: (pulse) => pulse.transactions.idAge,
  },
];

const COUNTERS: readonly PulseMetric[] = [
  {
    name: 'macbatch_leases_granted_total',
    help: 'Leases granted',
    value: (pulse) => pulse.leasesGranted,
  },
  {
    name: 'macbatch_leases_expired_total',
    help: 'Leases that expired',
    value: (pulse) => pulse.leasesExpired,
  },
  {
    name: 'macbatch_tasks_done_total',
    help: 'Completed tasks',
    value: (pulse) => pulse.tasksDone,
  },
  {
    name: 'macbatch_tasks_failed_total',
    help: 'Failed tasks',
    value: (pulse) => pulse.tasksFailed,
  },
  {
    name: 'macbatch_items_ok_total',
    help: 'Items with an output, including reused ones',
    value: (pulse) => pulse.itemsOk,
  },
];

/**
 * Metrics of the pool, read from the database at each scrape. Every control plane reports the same values.
 * Labels contain no names of workers, jobs, keys or models, because each name would add a time series.
 */
export class PoolMetrics {
  readonly #registry: Registry<PrometheusContentType>;
  readonly #tell: (pulse: Pulse) => void;

  constructor(registry: Registry<PrometheusContentType>) {
    this.#registry = registry;
    const registers = [registry];
    const gauges = GAUGES.map(({ value, ...named }) => ({
      value,
      gauge: new Gauge({ ...named, registers }),
    }));
    const counters = COUNTERS.map(({ value, ...named }) => ({
      value,
      counter: new Counter({ ...named, registers }),
    }));
    const tasks = new Gauge({
      name: 'macbatch_tasks',
      help: 'Tasks of unfinished jobs, by state',
      labelNames: ['state'],
      registers,
    });
    const workers = new Gauge({
      name: 'macbatch_workers',
      help: 'Known workers, by state',
      labelNames: ['state'],
      registers,
    });
    const boots = new Counter({
      name: 'macbatch_boots_total',
      help: 'Boots of workers and control planes, by verdict',
      labelNames: ['role', 'verdict'],
      registers,
    });
    new Gauge({
      name: 'macbatch_build_info',
      help: 'Always 1; labels give the release and its API version',
      labelNames: ['version', 'protocol'],
      registers,
    }).set({ version: VERSION, protocol: String(API_VERSION) }, 1);
    collectDefaultMetrics({ register: registry });

    this.#tell = (pulse) => {
      for (const { gauge, value } of gauges) gauge.set(value(pulse));
      for (const { counter, value } of counters) {
        counter.reset(); // the database does the counting
        counter.inc(value(pulse));
      }
      for (const [state, count] of Object.entries(pulse.tasks)) tasks.set({ state }, count);
      for (const [state, count] of Object.entries(pulse.workers)) workers.set({ state }, count);
      boots.reset();
      for (const { role, verdict, boots: count } of pulse.boots) boots.inc({ role, verdict }, count);
    };
  }

  /** Renders the metrics in the text format of Prometheus. */
  async text(pulse: Pulse): Promise<{ readonly body: string; readonly contentType: string }> {
    this.#tell(pulse);
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
