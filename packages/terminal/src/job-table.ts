import type { JobListEntry } from '@macbatch/contract';
import { printable, rate, stateText } from '@macbatch/wording';
import { clockRange } from './clock-time.ts';
import { table } from './table.ts';

const MAX_NAME = 40;

/** Draws a table of jobs. */
export function jobTable(jobs: readonly JobListEntry[]): string {
  return table(
    [
      'job',
      'name',
      'state',
      'type',
      'model',
      'items',
      'ok',
      'failed',
      'items/s',
      'ends',
      'workers',
      'leases expired',
      'submitted',
      'by',
    ],
    jobs.map((job) => [
      job.id,
      shortened(printable(job.name ?? '')),
      stateText(job),
      job.job_type,
      printable(job.model),
      job.items.total,
      job.items.ok,
      job.items.error + job.items.failed,
      rate(job.items_per_second ?? Number.NaN),
      ends(job),
      job.active_workers,
      job.lease_expired_events,
      job.created_at,
      printable(job.submitted_by ?? ''),
    ]),
  );
}

function ends({ estimate }: JobListEntry): string {
  if (estimate === null) return '–';
  const now = new Date(Date.parse(estimate.likely_at) - estimate.likely_seconds * 1000);
  return clockRange(new Date(estimate.low_at), new Date(estimate.high_at), now);
}

function shortened(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name;
}
