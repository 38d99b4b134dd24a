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

interface Told {
  readonly name: string;
  readonly help: string;
  readonly value: (pulse: Pulse) => number;
}

const GAUGES: readonly Told[] = [
  {
    name: 'macbatch_jobs_unfinished',
    help: 'Jobs with tasks to run',
    value: (pulse) => pulse.unfinishedJobs,
  },
  {
    name: 'macbatch_oldest_unfinished_job_age_seconds',
    help: 'Since the oldest unfinished job was submitted; 0 without one',
    value: (pulse) => pulse.oldestJobSeconds ?? 0,
  },
  {
    name: 'macbatch_oldest_lease_age_seconds',
    help: 'Since the oldest lease that is held was granted; 0 without one',
    value: (pulse) => pulse.oldestLeaseSeconds ?? 0,
  },
  {
    name: 'macbatch_leases_overdue',
    help: 'Leases that have ended and were not taken back yet',
    value: (pulse) => pulse.overdueLeases,
  },
  {
    name: 'macbatch_items_error',
    help: 'Items whose recorded outcome is an error; fewer after retry --items and after a prune',
    value: (pulse) => pulse.itemsError,
  },
  {
    name: 'macbatch_items_failed',
    help: 'Items without an outcome whose task has failed; fewer after a retry and after a prune',
    value: (pulse) => pulse.itemsFailed,
  },
];

const COUNTERS: readonly Told[] = [
  {
    name: 'macbatch_leases_granted_total',
    help: 'Leases granted',
    value: (pulse) => pulse.leasesGranted,
  },
  {
    name: 'macbatch_leases_expired_total',
    help: 'Leases lost to the clock',
    value: (pulse) => pulse.leasesExpired,
  },
  {
    name: 'macbatch_tasks_done_total',
    help: 'Times that a task was completed',
    value: (pulse) => pulse.tasksDone,
  },
  {
    name: 'macbatch_tasks_failed_total',
    help: 'Times that an error was the last one of a task',
    value: (pulse) => pulse.tasksFailed,
  },
  {
    name: 'macbatch_items_ok_total',
    help: 'Items with an output, those reused from earlier jobs too',
    value: (pulse) => pulse.itemsOk,
  },
];

/**
 * What a scrape tells of the pool, read from the database at that moment: every control plane says the same.
 * No label holds what somebody else has named: workers, jobs, keys and models would be ever more series.
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
      help: 'Workers that have ever said what they are, by state',
      labelNames: ['state'],
      registers,
    });
    const boots = new Counter({
      name: 'macbatch_boots_total',
      help: 'Boots of workers and control planes, by what was known of them',
      labelNames: ['role', 'verdict'],
      registers,
    });
    new Gauge({
      name: 'macbatch_build_info',
      help: 'Always 1; the release and the protocol that it speaks',
      labelNames: ['version', 'protocol'],
      registers,
    }).set({ version: VERSION, protocol: String(API_VERSION) }, 1);
    collectDefaultMetrics({ register: registry });

    this.#tell = (pulse) => {
      for (const { gauge, value } of gauges) gauge.set(value(pulse));
      for (const { counter, value } of counters) {
        counter.reset(); // the database has counted
        counter.inc(value(pulse));
      }
      for (const [state, count] of Object.entries(pulse.tasks)) tasks.set({ state }, count);
      for (const [state, count] of Object.entries(pulse.workers)) workers.set({ state }, count);
      boots.reset();
      for (const { role, verdict, boots: count } of pulse.boots) boots.inc({ role, verdict }, count);
    };
  }

  /** In the text format of Prometheus. */
  async text(pulse: Pulse): Promise<{ readonly body: string; readonly contentType: string }> {
    this.#tell(pulse);
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
