import type { ConnectionPools } from '@macbatch/connection';
import { type Refusal, refusal, type TaskStatus } from '@macbatch/core';
import { type Statement, statement } from '../database/statement.ts';
import { batches, type Numbered } from '../database/task-batches.ts';
import { statusOf } from '../database/task-status.ts';
import { onceMore } from '../database/transient.ts';
import { fail, type HeldRow } from './fail.ts';
import { heldRefusal } from './holder-refusal.ts';
import type { ModelBuild, ModelIds } from './model-ids.ts';
import { type ReportedRow, report } from './report-statement.ts';

export interface Outcome {
  readonly itemId: string;
  /** JSON text; exactly one of `output` and `error` is given. */
  readonly output: string | null;
  /** JSON text. */
  readonly error: string | null;
  readonly model: ModelBuild | undefined;
  /** JSON text. */
  readonly usage: string | null;
}

export interface Entry {
  /** Decimal digits of a 63-bit number. */
  readonly taskId: string;
  readonly attempt: number;
  readonly outcomes: readonly Outcome[];
  readonly final: boolean;
  /** JSON text: the worker gives up what is left of the task. */
  readonly error: string | null;
}

export type Verdict =
  /** `code` is there when the outcomes were taken but the error was not. */
  | {
      readonly outcome: 'accepted';
      readonly status: TaskStatus;
      readonly code?: Refusal;
      /** Items of the task that others had copies of and have reported. */
      readonly settled?: readonly string[];
    }
  /** The task was done before: by the same worker, or by another. */
  | { readonly outcome: 'duplicate' | 'superseded'; readonly status: TaskStatus }
  | {
      readonly outcome: 'refused';
      readonly status: TaskStatus | null;
      readonly code: Refusal | 'not_found' | 'unknown_item' | 'missing_items';
    };

type ReportArguments = {
  worker: string;
  numbers: number[];
  taskIds: string[];
  attempts: number[];
  finals: number[];
  outcomeTaskIds: string[];
  itemIds: string[];
  outputs: (string | null)[];
  errors: (string | null)[];
  modelIds: (number | null)[];
  usages: (string | null)[];
};
type FailArguments = {
  worker: string;
  numbers: number[];
  taskIds: string[];
  attempts: number[];
  errors: (string | null)[];
};

/** What a report set in motion beside its verdicts. */
export interface Aftermath {
  /** Jobs whose last task may have ended. */
  readonly mayBeFinished: readonly string[];
  /** Some task went back to pending. */
  readonly sentBack: boolean;
}

/** Records what workers report. */
export class Reporter {
  readonly #connections: ConnectionPools;
  readonly #models: ModelIds;
  readonly #report: Statement<ReportArguments, ReportedRow>;
  readonly #fail: Statement<FailArguments, HeldRow>;

  constructor(connections: ConnectionPools, models: ModelIds) {
    this.#connections = connections;
    this.#models = models;
    this.#report = statement(report);
    this.#fail = statement(fail);
  }

  /**
   * One verdict for each entry, in order. An entry's outcomes come first, then its error, each by one
   * guarded statement for all entries together; an entry whose outcomes are refused is refused whole.
   */
  async report(
    worker: string,
    entries: readonly Entry[],
  ): Promise<{ verdicts: Verdict[]; aftermath: Aftermath }> {
    const verdicts = new Map<number, Verdict>();
    const mayBeFinished = new Set<string>();
    let sentBack = false;
    for (const batch of batches(entries)) {
      const reported = batch.filter(
        ({ entry }) => entry.outcomes.length > 0 || entry.final || entry.error === null,
      );
      const rows = await this.#reportBatch(worker, reported);
      for (const row of rows)
        verdicts.set(row.no, verdictOnReport(row, worker, entries[row.no]?.attempt ?? 0));
      for (const jobId of finishedJobs(rows)) mayBeFinished.add(jobId);

      const reportedNumbers = new Set(reported.map(({ no }) => no));
      const failed = batch.filter(
        ({ no, entry }) =>
          entry.error !== null && (!reportedNumbers.has(no) || verdicts.get(no)?.outcome === 'accepted'),
      );
      for (const row of await this.#failBatch(worker, failed)) {
        const attempt = entries[row.no]?.attempt ?? 0;
        verdicts.set(row.no, verdictOnFailure(row, attempt, reportedNumbers.has(row.no)));
        if (row.status === 'pending') sentBack = true;
        if (row.status === 'failed') mayBeFinished.add(row.job_id);
      }
    }
    return {
      verdicts: entries.map(
        (_, no) => verdicts.get(no) ?? { outcome: 'refused', status: null, code: 'not_found' },
      ),
      aftermath: { mayBeFinished: [...mayBeFinished], sentBack },
    };
  }

  async #reportBatch(worker: string, batch: readonly Numbered<Entry>[]): Promise<readonly ReportedRow[]> {
    if (batch.length === 0) return [];
    const outcomes = batch.flatMap(({ entry }) =>
      entry.outcomes.map((outcome) => ({ taskId: entry.taskId, ...outcome })),
    );
    const modelIds = await this.#models.of(outcomes.map((outcome) => outcome.model));
    return onceMore(() =>
      this.#report.run(this.#connections.durable, {
        worker,
        numbers: batch.map(({ no }) => no),
        taskIds: batch.map(({ entry }) => entry.taskId),
        attempts: batch.map(({ entry }) => entry.attempt),
        finals: batch.map(({ entry }) => (entry.final ? 1 : 0)), // the driver takes an array of booleans for one
        outcomeTaskIds: outcomes.map((outcome) => outcome.taskId),
        itemIds: outcomes.map((outcome) => outcome.itemId),
        outputs: outcomes.map((outcome) => outcome.output),
        errors: outcomes.map((outcome) => outcome.error),
        modelIds,
        usages: outcomes.map((outcome) => outcome.usage),
      }),
    );
  }

  async #failBatch(worker: string, batch: readonly Numbered<Entry>[]): Promise<readonly HeldRow[]> {
    if (batch.length === 0) return [];
    return onceMore(() =>
      this.#fail.run(this.#connections.durable, {
        worker,
        numbers: batch.map(({ no }) => no),
        taskIds: batch.map(({ entry }) => entry.taskId),
        attempts: batch.map(({ entry }) => entry.attempt),
        errors: batch.map(({ entry }) => entry.error),
      }),
    );
  }
}

function verdictOnReport(row: ReportedRow, worker: string, attempt: number): Verdict {
  if (row.status !== null) {
    const settled = row.settled === null ? {} : { settled: row.settled };
    return { outcome: 'accepted', status: statusOf(row.status), ...settled };
  }
  const status = statusOf(row.was);
  if (!row.granted) return { outcome: 'refused', status, code: 'not_leased' };
  if (status !== 'done' && !row.cancelled) {
    if (row.unknown > 0) return { outcome: 'refused', status, code: 'unknown_item' };
    if (row.missing > 0) return { outcome: 'refused', status, code: 'missing_items' };
    throw new Error(`No rule accepted a report on a task that is ${status}, and none refuses it.`);
  }
  const { attempts, cancelled } = row;
  const code = refusal({ status, attempts, cancelled }, { type: 'report', attempt });
  if (code === 'already_done')
    return { outcome: row.assigned_worker === worker ? 'duplicate' : 'superseded', status };
  return { outcome: 'refused', status, code };
}

function verdictOnFailure(row: HeldRow, attempt: number, outcomesAccepted: boolean): Verdict {
  if (row.status !== null) return { outcome: 'accepted', status: statusOf(row.status) };
  const status = statusOf(row.was);
  const code = heldRefusal('fail', row, attempt);
  if (code === 'already_done') return { outcome: outcomesAccepted ? 'accepted' : 'superseded', status };
  return outcomesAccepted ? { outcome: 'accepted', status, code } : { outcome: 'refused', status, code };
}

/** The jobs of which these rows ended the last tasks, as far as their statement could see. */
function finishedJobs(rows: readonly ReportedRow[]): string[] {
  const left = new Map<string, number>();
  for (const row of rows) {
    if (row.status !== 'done' || row.unfinished === null) continue;
    const endedNow = row.was === 'pending' || row.was === 'leased' ? 1 : 0;
    left.set(row.job_id, (left.get(row.job_id) ?? row.unfinished) - endedNow);
  }
  return [...left].filter(([, unfinished]) => unfinished <= 0).map(([jobId]) => jobId);
}
