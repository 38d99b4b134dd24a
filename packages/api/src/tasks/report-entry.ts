import { type EntryReply, type ItemError, ReportEntry } from '@macbatch/contract';
import type { Entry, Outcome, Verdict } from '@macbatch/store';
import { invalidField } from '../requests/invalid-field.ts';

/** A validated report entry, or its refusal. */
export type ReadEntry =
  | { readonly ok: true; readonly entry: Entry }
  | { readonly ok: false; readonly reply: EntryReply };

/** Validates one entry. An error affects only this entry. */
export function readEntry(value: unknown): ReadEntry {
  const parsed = ReportEntry.safeParse(value);
  if (!parsed.success) {
    return refused(value, 'invalid_entry', invalidField(parsed.error, 'the entry').message);
  }
  const entry = parsed.data;
  const seen = new Set<string>();
  const outcomes: Outcome[] = [];
  for (const outcome of entry.outcomes) {
    const name = JSON.stringify(outcome.item_id);
    if (seen.has(outcome.item_id)) return refused(value, 'duplicate_item', `${name} has two outcomes`);
    seen.add(outcome.item_id);
    const output = 'output' in outcome ? outcome.output : null;
    if (output !== null && !isJsonText(output))
      return refused(value, 'invalid_output', `the output of ${name} is not JSON`);
    const error = 'error' in outcome ? outcome.error : null;
    if (error?.response !== undefined && !isJsonText(error.response.body))
      return refused(value, 'invalid_output', `the response of ${name} is not JSON`);
    outcomes.push({
      // No item can have such an id, and Postgres would refuse the whole statement for it.
      itemId: outcome.item_id.isWellFormed() && !outcome.item_id.includes('\u0000') ? outcome.item_id : '',
      output,
      error: error === null ? null : itemErrorText(error),
      model: outcome.model,
      usage: outcome.usage == null ? null : JSON.stringify(outcome.usage),
      requestId: ('output' in outcome ? outcome.request_id : undefined) ?? null,
    });
  }
  return {
    ok: true,
    entry: {
      taskId: entry.task_id,
      attempt: entry.attempt,
      outcomes,
      final: entry.final,
      error: entry.error === undefined ? null : JSON.stringify(entry.error),
    },
  };
}

/** The JSON text of an item's error, with the exact text of the response's body in it. */
function itemErrorText({ response, ...error }: ItemError): string {
  if (response === undefined) return JSON.stringify(error);
  const { body, ...head } = response;
  const headText = JSON.stringify(head).slice(0, -1);
  return `${JSON.stringify(error).slice(0, -1)},"response":${headText},"body":${body}}}`;
}

/** Whether a text is JSON that fits into a line of results: no lone surrogates, no raw newlines. */
function isJsonText(text: string): boolean {
  if (!text.isWellFormed() || /[\r\n]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function refused(value: unknown, code: NonNullable<EntryReply['code']>, detail: string): ReadEntry {
  const named = (field: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, field) : null;
  const taskId = named('task_id');
  const attempt = named('attempt');
  return {
    ok: false,
    reply: {
      task_id: typeof taskId === 'string' ? taskId : null,
      attempt: typeof attempt === 'number' && Number.isSafeInteger(attempt) ? attempt : null,
      outcome: 'refused',
      code,
      detail,
      task_status: null,
    },
  };
}

/** Converts the store's decision to the reply of an entry. */
export function entryReply(entry: Entry, verdict: Verdict): EntryReply {
  return {
    task_id: entry.taskId,
    attempt: entry.attempt,
    outcome: verdict.outcome,
    ...('code' in verdict && verdict.code !== undefined ? { code: verdict.code } : {}),
    task_status: verdict.status,
    ...('recordedElsewhere' in verdict && verdict.recordedElsewhere !== undefined
      ? { settled: [...verdict.recordedElsewhere] }
      : {}),
  };
}
