import { ApiError } from '@macbatch/client';
import type { EntryReply, ReportEntry } from '@macbatch/contract';
import { leaseKey } from '../worker/lease-key.ts';
import { isTooLargeForOneCall } from '../worker/report-batch.ts';
import { type Refusal, splitReport } from './split-report.ts';

export interface ReportDeliveryDeps {
  /** Sends entries in one call and returns their replies, without those that cannot be read. */
  readonly send: (entries: readonly ReportEntry[], signal: AbortSignal) => Promise<readonly EntryReply[]>;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Codes of entries whose content is refused. Other refusals are about the lease or the job. */
const CONTENT_REFUSALS: ReadonlySet<string | undefined> = new Set([
  'invalid_entry',
  'invalid_output',
  'unknown_item',
  'duplicate_item',
  'missing_items',
]);

/** Problems of a call that a smaller report, or one without a bad part, does not have. */
const CONTENT_PROBLEMS: ReadonlySet<string> = new Set([
  'invalid_json',
  'invalid_encoding',
  'invalid_field',
  'body_too_large',
]);

/** Why a report is divided before it is sent. */
const TOO_LARGE: Refusal = { code: 'body_too_large', detail: 'the report is too large for one call' };

/** Calls with one outcome that may fail for another reason before the outcome is to blame. */
const MAX_UNEXPLAINED_FAILURES = 3;

/** Delivers reports. Of a report that is refused in part, only that part is lost, and its item ends with an error. */
export class ReportDelivery {
  readonly #deps: ReportDeliveryDeps;
  /** Unexplained failures of calls with one outcome, by lease and item. */
  readonly #failures = new Map<string, number>();

  constructor(deps: ReportDeliveryDeps) {
    this.#deps = deps;
  }

  /** Returns the replies by lease; none for an entry that cannot be delivered. Rejects when a retry may help. */
  async deliver(entries: readonly ReportEntry[], signal: AbortSignal): Promise<Map<string, EntryReply>> {
    const replies = new Map<string, EntryReply>();
    if (entries.length === 0) return replies;
    if (isTooLargeForOneCall(entries)) {
      await this.#deliverParts(entries, TOO_LARGE, signal, replies);
      return replies;
    }
    const answered = await this.#send(entries, signal);
    if (answered instanceof ApiError) {
      await this.#deliverParts(entries, refusalOf(answered), signal, replies);
      return replies;
    }
    const byLease = new Map(entries.map((entry) => [leaseKey(entry), entry]));
    for (const reply of answered) {
      const entry = byLease.get(leaseKey(reply));
      this.#logReply(reply);
      if (entry !== undefined && reply.outcome === 'refused' && CONTENT_REFUSALS.has(reply.code)) {
        const refusal = { code: reply.code ?? '', detail: reply.detail ?? 'no reason given' };
        await this.#deliverParts([entry], refusal, signal, replies);
      } else {
        addReply(replies, reply);
      }
    }
    return replies;
  }

  async #deliverParts(
    entries: readonly ReportEntry[],
    refusal: Refusal,
    signal: AbortSignal,
    replies: Map<string, EntryReply>,
  ): Promise<void> {
    const parts = splitReport(entries, refusal);
    if (parts.length === 0) {
      const { task_id, attempt, outcomes } = entries[0] ?? {};
      const item_id = outcomes?.[0]?.item_id;
      this.#deps.log('report.refused', { task_id, attempt, item_id, ...refusal });
    }
    for (const part of parts) {
      for (const reply of (await this.deliver(part, signal)).values()) addReply(replies, reply);
    }
  }

  /** Returns the replies, or the error if the content of the report is the cause. */
  async #send(
    entries: readonly ReportEntry[],
    signal: AbortSignal,
  ): Promise<readonly EntryReply[] | ApiError> {
    const name = nameOf(entries);
    const answered = await this.#sendOnce(entries, signal);
    const [entry, ...others] = entries;
    const isOneOutcome = others.length === 0 && (entry?.outcomes.length ?? 0) <= 1;
    if (!(answered instanceof ApiError) || isAboutContent(answered) || !isOneOutcome || entry === undefined) {
      this.#failures.delete(name);
      return answered;
    }
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    if (failures < MAX_UNEXPLAINED_FAILURES) throw answered;
    // The outcome is to blame only if the control plane answers for the same task without it.
    await this.#deps.send(
      [{ task_id: entry.task_id, attempt: entry.attempt, outcomes: [], final: false }],
      signal,
    );
    this.#failures.delete(name);
    return this.#sendOnce(entries, signal);
  }

  /** Returns an error of the control plane that the same report would meet again, and throws all others. */
  async #sendOnce(
    entries: readonly ReportEntry[],
    signal: AbortSignal,
  ): Promise<readonly EntryReply[] | ApiError> {
    try {
      return await this.#deps.send(entries, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.retryable || error.isCallerRefused) throw error;
      return error;
    }
  }

  #logReply({ task_id, attempt, outcome, code, detail, task_status }: EntryReply): void {
    this.#deps.log('task.reported', {
      task_id,
      attempt,
      outcome,
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
      task_status,
    });
  }
}

/** A proxy before the control plane may have a lower limit than the control plane. */
function isAboutContent({ code, status }: ApiError): boolean {
  return CONTENT_PROBLEMS.has(code) || (code === 'foreign_reply' && status === 413);
}

function refusalOf(error: ApiError): Refusal {
  return { code: error.status === 413 ? 'body_too_large' : error.code, detail: error.message };
}

/** Keeps one reply for a lease whose entry went in parts: a refusal if there is one, else the last. */
function addReply(replies: Map<string, EntryReply>, reply: EntryReply): void {
  const before = replies.get(leaseKey(reply));
  if (before?.outcome === 'refused') return;
  const settled = [...(before?.settled ?? []), ...(reply.settled ?? [])];
  replies.set(leaseKey(reply), { ...reply, ...(settled.length > 0 ? { settled } : {}) });
}

function nameOf(entries: readonly ReportEntry[]): string {
  return JSON.stringify(
    entries.map(({ task_id, attempt, outcomes, final }) => [task_id, attempt, outcomes[0]?.item_id, final]),
  );
}
