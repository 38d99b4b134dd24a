import type { Outcome, ReportEntry, ReportedError } from '@macbatch/contract';

/** Why the control plane did not record a report or an entry of it. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
}

/** Codes of errors that take the place of an outcome, or of a task, that cannot be recorded. */
const NOT_RECORDED = 'outcome_not_recorded';
const TOO_LARGE = 'output_too_large';

/**
 * Splits a refused report into smaller ones with the same content. An outcome that is refused by itself becomes an error
 * of its item, so that the item ends. If that is refused too, the last report of a task fails the task. Returns none
 * when nothing is left to try.
 */
export function splitReport(entries: readonly ReportEntry[], refusal: Refusal): ReportEntry[][] {
  const [entry] = entries;
  if (entry === undefined) return [];
  if (entries.length > 1) return entries.map((each) => [each]);
  if (entry.outcomes.length > 1) return halves(entry);
  const [outcome] = entry.outcomes;
  const hasItem = refusal.code !== 'unknown_item' && refusal.code !== 'missing_items';
  if (outcome !== undefined && hasItem && !isReplacement(outcome)) {
    return [[{ ...entry, outcomes: [{ item_id: outcome.item_id, error: replacement(refusal) }] }]];
  }
  if (!entry.final) return [];
  const outcomes = refusal.code === 'missing_items' ? entry.outcomes : [];
  return [[{ ...entry, outcomes, final: false, error: replacement(refusal) }]];
}

function halves(entry: ReportEntry): ReportEntry[][] {
  const half = Math.ceil(entry.outcomes.length / 2);
  // The error ends the task here, so it is sent with the last outcomes.
  const { error: _, ...first } = { ...entry, outcomes: entry.outcomes.slice(0, half), final: false };
  return [[first], [{ ...entry, outcomes: entry.outcomes.slice(half) }]];
}

function replacement({ code, detail }: Refusal): ReportedError {
  return code === 'body_too_large'
    ? { code: TOO_LARGE, message: 'the output is larger than the control plane accepts' }
    : {
        code: NOT_RECORDED,
        message: `the control plane did not record the outcome (${code}): ${detail}`.slice(0, 2000),
      };
}

function isReplacement(outcome: Outcome): boolean {
  return 'error' in outcome && [NOT_RECORDED, TOO_LARGE].includes(outcome.error.code);
}
