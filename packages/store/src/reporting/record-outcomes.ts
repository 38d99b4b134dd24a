import type { ConnectionPools } from '@macbatch/connection';
import { retryOnConflict } from '../database/retry-on-conflict.ts';
import type { LockedTaskRow } from '../tasks/locked-tasks.ts';
import { type PositionedEntry, taskBatches } from '../tasks/task-batches.ts';
import { failTasks } from './fail-tasks.ts';
import type { ModelIds } from './model-ids.ts';
import type { Entry, Verdict } from './report-entry.ts';
import { type ReportedRow, reportOutcomes } from './report-outcomes.ts';
import { verdictOnFailure, verdictOnOutcomes } from './verdicts.ts';

type Batch = readonly PositionedEntry<Entry>[];

/** Effects of a report other than the answers to its entries. */
export interface ReportEffects {
  /** Jobs whose last task may have ended. */
  readonly jobsToClose: readonly string[];
  /** A task went back to pending. */
  readonly sentBack: boolean;
}

const NOT_FOUND: Verdict = { outcome: 'refused', status: null, code: 'not_found' };

/**
 * Records a report. Returns one verdict for each entry, in order. Of each batch, one statement records the outcomes
 * and then one gives up the tasks with errors. An entry whose outcomes are refused is refused whole.
 */
export async function recordOutcomes(
  connections: ConnectionPools,
  models: ModelIds,
  worker: string,
  entries: readonly Entry[],
): Promise<{ verdicts: Verdict[]; effects: ReportEffects }> {
  const verdicts = new Map<number, Verdict>();
  const jobsToClose = new Set<string>();
  let sentBack = false;
  for (const batch of taskBatches(entries)) {
    const reported = batch.filter(
      ({ entry }) => entry.outcomes.length > 0 || entry.final || entry.error === null,
    );
    const reportedRows = await runReport(connections, models, worker, reported);
    for (const row of reportedRows)
      verdicts.set(row.position, verdictOnOutcomes(row, worker, attemptOf(entries, row)));
    for (const jobId of jobsWithoutUnfinishedTasks(reportedRows)) jobsToClose.add(jobId);

    const wasReported = new Set(reported.map(({ position }) => position));
    const givenUp = batch.filter(
      ({ position, entry }) =>
        entry.error !== null &&
        (!wasReported.has(position) || verdicts.get(position)?.outcome === 'accepted'),
    );
    for (const row of await runFailures(connections, worker, givenUp)) {
      const outcomesAccepted = wasReported.has(row.position);
      verdicts.set(row.position, verdictOnFailure(row, attemptOf(entries, row), outcomesAccepted));
      if (row.new_status === 'pending') sentBack = true;
      if (row.new_status === 'failed') jobsToClose.add(row.job_id);
    }
  }
  return {
    verdicts: entries.map((_, position) => verdicts.get(position) ?? NOT_FOUND),
    effects: { jobsToClose: [...jobsToClose], sentBack },
  };
}

/** Runs the statement until no entry is left whose task another transaction has changed in the meantime. */
async function runReport(
  connections: ConnectionPools,
  models: ModelIds,
  worker: string,
  batch: Batch,
): Promise<readonly ReportedRow[]> {
  const rows: ReportedRow[] = [];
  for (let left = batch; left.length > 0; ) {
    const found = await runReportOnce(connections, models, worker, left);
    rows.push(...found.filter(({ raced }) => !raced));
    const raced = new Set(found.filter((row) => row.raced).map(({ position }) => position));
    left = left.filter(({ position }) => raced.has(position));
  }
  return rows;
}

async function runReportOnce(
  { durable }: ConnectionPools,
  models: ModelIds,
  worker: string,
  batch: Batch,
): Promise<readonly ReportedRow[]> {
  const outcomes = batch.flatMap(({ entry: { taskId, outcomes } }) =>
    outcomes.map((outcome) => ({ taskId, ...outcome })),
  );
  const modelIds = await models.of(outcomes.map(({ model }) => model));
  return retryOnConflict(() =>
    reportOutcomes.run(durable, {
      ...leasesOf(worker, batch),
      finals: batch.map(({ entry }) => (entry.final ? 1 : 0)),
      outcomeTaskIds: outcomes.map(({ taskId }) => taskId),
      itemIds: outcomes.map(({ itemId }) => itemId),
      outputs: outcomes.map(({ output }) => output),
      errors: outcomes.map(({ error }) => error),
      modelIds,
      usages: outcomes.map(({ usage }) => usage),
      requestIds: outcomes.map(({ requestId }) => requestId ?? null),
    }),
  );
}

async function runFailures(
  { durable }: ConnectionPools,
  worker: string,
  batch: Batch,
): Promise<readonly LockedTaskRow[]> {
  if (batch.length === 0) return [];
  const errors = batch.map(({ entry }) => entry.error);
  return retryOnConflict(() => failTasks.run(durable, { ...leasesOf(worker, batch), errors }));
}

/** The attempt that the entry of a row names. */
function attemptOf(entries: readonly Entry[], { position }: LockedTaskRow): number {
  return entries[position]?.attempt ?? 0;
}

function leasesOf(worker: string, batch: Batch) {
  return {
    worker,
    positions: batch.map(({ position }) => position),
    taskIds: batch.map(({ entry }) => entry.taskId),
    attempts: batch.map(({ entry }) => entry.attempt),
  };
}

/** The jobs whose last unfinished tasks these rows ended, as far as the statement's snapshot shows. */
function jobsWithoutUnfinishedTasks(rows: readonly ReportedRow[]): string[] {
  const unfinished = new Map<string, number>();
  for (const row of rows) {
    if (row.new_status !== 'done' || row.unfinished_tasks === null) continue;
    const ended = row.old_status === 'pending' || row.old_status === 'leased' ? 1 : 0;
    unfinished.set(row.job_id, (unfinished.get(row.job_id) ?? row.unfinished_tasks) - ended);
  }
  return [...unfinished].filter(([, count]) => count <= 0).map(([jobId]) => jobId);
}
