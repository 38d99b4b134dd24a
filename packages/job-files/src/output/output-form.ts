import type { JobInput } from '../input/job-input.ts';
import type { OutcomeOrder } from './arriving-outcomes.ts';

export const OUTPUT_FORMATS = ['jsonl', 'csv', 'tsv'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** How outcomes are written. */
export interface OutputForm {
  readonly format: OutputFormat;
  /** The input whose records go before the outcomes. */
  readonly join: JobInput | null;
  readonly only: 'ok' | 'error' | null;
  /** Spreads outputs that are objects over several columns or members. */
  readonly flatten: boolean;
  readonly excel: boolean;
  readonly order: OutcomeOrder;
}

/** The form of outcomes when no option says otherwise. */
export const PLAIN_FORM: OutputForm = {
  format: 'jsonl',
  join: null,
  only: null,
  flatten: false,
  excel: false,
  order: 'input',
};
