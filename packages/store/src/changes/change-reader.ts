import type { ConnectionPools } from '@macbatch/connection';
import {
  readNewEvents,
  readNewest,
  readTallyVersions,
  readWorkerVersions,
  type TallyVersionRow,
  type WorkerVersionRow,
} from './read-versions.ts';

/** What has changed since the last reading. */
export interface Changes {
  readonly jobs: readonly { readonly id: string; readonly owner: string }[];
  /** Ids of workers. */
  readonly workers: readonly string[];
  /** For each owner whose jobs have new events, the newest one. Null: events that belong to no job. */
  readonly events: ReadonlyMap<string | null, string>;
}

/** Compares what it reads with its last reading. A reading costs the same however many items the jobs have. */
export class ChangeReader {
  readonly #connections: ConnectionPools;
  #last: Reading | null = null;

  constructor(connections: ConnectionPools) {
    this.#connections = connections;
  }

  /**
   * Reads what has changed among open jobs, those that have just ended, and `watched` jobs. The first reading finds no
   * change: it is what later ones are compared with.
   */
  async read(watched: readonly string[]): Promise<Changes> {
    const { durable } = this.#connections;
    const last = this.#last;
    const newest = last?.newest ?? (await readNewest.one(durable));
    // Jobs that were open at the last reading are read once more: they may have ended.
    const known = [...new Set([...watched, ...(last?.jobs.keys() ?? [])])];
    const [tallies, workerRows, eventRows] = await Promise.all([
      readTallyVersions.run(durable, { watched: known, newest: newest.job }),
      readWorkerVersions.run(durable),
      readNewEvents.run(durable, { after: newest.event }),
    ]);
    const jobs = jobVersions(tallies);
    const workers = workerVersions(tallies, workerRows);
    const isWatched = new Set(watched);
    this.#last = {
      jobs: new Map([...jobs].filter(([id, { open }]) => open || isWatched.has(id))),
      workers,
      newest: {
        job: latestId(newest.job, jobs.keys()),
        event: eventRows.at(-1)?.id ?? newest.event,
      },
    };
    return {
      jobs: last === null ? [] : changedJobs(last.jobs, jobs, newest.job),
      workers: last === null ? [] : changedKeys(last.workers, workers),
      events: new Map(eventRows.map(({ owner, id }) => [owner, id])),
    };
  }
}

interface JobVersion {
  readonly owner: string;
  readonly open: boolean;
  readonly version: string;
}

interface Reading {
  /** Open and watched jobs. */
  readonly jobs: ReadonlyMap<string, JobVersion>;
  /** Versions of workers. */
  readonly workers: ReadonlyMap<string, string>;
  readonly newest: { readonly job: string; readonly event: string };
}

function jobVersions(rows: readonly TallyVersionRow[]): ReadonlyMap<string, JobVersion> {
  return new Map(
    [...Map.groupBy(rows, ({ id }) => id)].map(([id, ofJob]) => [
      id,
      {
        owner: ofJob[0]?.owner ?? '',
        open: ofJob[0]?.open ?? false,
        version: versionOf(ofJob),
      },
    ]),
  );
}

/** A worker has changed if its row has, or its tally of an open job. */
function workerVersions(
  tallies: readonly TallyVersionRow[],
  rows: readonly WorkerVersionRow[],
): ReadonlyMap<string, string> {
  const byWorker = Map.groupBy(
    tallies.filter(({ open }) => open),
    (row) => row.worker_id,
  );
  return new Map(rows.map(({ id, version }) => [id, `${version} ${versionOf(byWorker.get(id) ?? [])}`]));
}

function versionOf(tallies: readonly TallyVersionRow[]): string {
  return tallies
    .map(({ id, worker_id, version }) => `${id} ${worker_id} ${version}`)
    .sort()
    .join('\n');
}

function changedJobs(
  before: ReadonlyMap<string, JobVersion>,
  now: ReadonlyMap<string, JobVersion>,
  newest: string,
): readonly { readonly id: string; readonly owner: string }[] {
  const changed = [...now].filter(([id, { open, version }]) => {
    const known = before.get(id);
    // A job that has just been subscribed to is not a change.
    return known === undefined ? open || id > newest : known.version !== version;
  });
  const pruned = [...before].filter(([id]) => !now.has(id));
  return [...changed, ...pruned].map(([id, { owner }]) => ({ id, owner }));
}

function changedKeys(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  const changed = [...now].filter(([id, version]) => before.get(id) !== version).map(([id]) => id);
  return [...changed, ...[...before.keys()].filter((id) => !now.has(id))];
}

/** Ids of jobs are in the order of submission. */
function latestId(first: string, ids: Iterable<string>): string {
  let latest = first;
  for (const id of ids) if (id > latest) latest = id;
  return latest;
}
