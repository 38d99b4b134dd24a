import type { JobType } from '@macbatch/core';
import type { BatchForm } from './batch-line.ts';
import type { PromptTemplate } from './prompt-template.ts';

/** Says which part of a record becomes the payload of its item. */
export type PayloadForm =
  /** The whole record. Of a row, the first of these columns that it has; the whole row if there are none. */
  | { readonly kind: 'record'; readonly rowColumns: readonly string[] }
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'prompt'; readonly template: PromptTemplate }
  /** The body of a request of OpenAI's Batch API, whose id is its custom_id. */
  | { readonly kind: 'batch'; readonly batch: BatchForm };

/** The column with the ids if no option names one. */
export const DEFAULT_ID_COLUMN = 'id';

/** How records become items. */
export interface ItemForm {
  /** The column with the ids. Null: `DEFAULT_ID_COLUMN` if there is one, otherwise the line number. */
  readonly idColumn: string | null;
  readonly payload: PayloadForm;
}

/** Columns that hold the text of a row, by job type. */
const TEXT_COLUMNS: Readonly<Record<JobType, readonly string[]>> = {
  classify: ['text'],
  embed: ['text'],
  chat: ['prompt', 'text'],
  generate: ['prompt', 'text'],
  request: [],
  noop: [],
};

/** The form of items when no option says otherwise. */
export function defaultForm(jobType: JobType): ItemForm {
  return { idColumn: null, payload: { kind: 'record', rowColumns: TEXT_COLUMNS[jobType] } };
}
