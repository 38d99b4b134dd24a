import type { JobType } from '@macbatch/core';
import { mainText } from '../output/main-text.ts';
import { cellText, memberTexts, type Outcome } from '../output/outcome.ts';

/** A tried item and what became of it. */
export interface TriedOutcome {
  readonly id: string;
  readonly input: string;
  /** The answer, or the error. */
  readonly output: string;
  readonly isOk: boolean;
  /** The output comes from an earlier job, so nothing was measured. */
  readonly isReused: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** When its attempt was leased and when its outcome was recorded, in milliseconds. Null: unknown. */
  readonly leasedMs: number | null;
  readonly endedMs: number | null;
}

/** Reads the outcome of a tried item. `payload` is JSON text. */
export function triedOutcome(outcome: Outcome, jobType: JobType, payload: string): TriedOutcome {
  const members = memberTexts(outcome.text);
  const usage = JSON.parse(members.get('usage') ?? 'null') as Readonly<Record<string, number>> | null;
  const error = memberTexts(members.get('error') ?? '{}');
  const finishedAt = cellText(members.get('finished_at'));
  return {
    id: outcome.id,
    input: cellText(payload),
    output: outcome.isOk
      ? mainText(members.get('output'), jobType)
      : `${cellText(error.get('code'))}: ${cellText(error.get('message'))}`,
    isOk: outcome.isOk,
    isReused: members.get('reused') === 'true',
    inputTokens: usage?.['input_tokens'] ?? 0,
    outputTokens: usage?.['output_tokens'] ?? 0,
    leasedMs: outcome.leasedMs,
    endedMs: finishedAt === '' ? null : Date.parse(finishedAt),
  };
}

/** A tried item that has run, with its times. */
export interface MeasuredOutcome extends TriedOutcome {
  readonly leasedMs: number;
  readonly endedMs: number;
}

/** Selects the outcomes of items that have run. */
export function measured(outcomes: readonly TriedOutcome[]): MeasuredOutcome[] {
  return outcomes.filter(
    (outcome): outcome is MeasuredOutcome =>
      !outcome.isReused && outcome.leasedMs !== null && outcome.endedMs !== null,
  );
}
