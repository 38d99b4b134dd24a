import type { InputRecord } from '../formats/input-record.ts';
import type { Outcome } from './outcome.ts';

/** An outcome, and the record of the input that its item was made of if the two are joined. */
export interface JoinedOutcome {
  readonly outcome: Outcome;
  readonly record: InputRecord | null;
}

/** Writes outcomes in one format. */
export interface OutcomeEncoder {
  /** What the file begins with. */
  readonly head: string;
  encode(outcomes: readonly JoinedOutcome[]): string;
}
