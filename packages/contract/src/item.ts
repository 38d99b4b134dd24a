import { z } from '@hono/zod-openapi';
import { ITEM_STATES } from '@macbatch/core';
import { itemIdToFind } from './item-id.ts';
import { FailureGroupId } from './job.ts';

const moment = z.iso.datetime({ offset: true }).nullable();
const ItemState = z.enum(ITEM_STATES).openapi({
  description:
    'ok: has an output; error: its recorded outcome is an error; failed: its task has failed without an outcome; open: still to run, or was when the job was cancelled',
});
/** A position in a job: Postgres counts rows of items with 32 bits. */
const Seq = z.coerce
  .number()
  .int()
  .max(2 ** 31 - 2);

export const ItemListQuery = z.object({
  state: ItemState.optional(),
  failure: FailureGroupId.optional().openapi({ description: 'Only the items of this group of failures' }),
  q: itemIdToFind.optional().openapi({ description: 'Only items whose ids begin with this text' }),
  after: Seq.min(-1)
    .default(-1)
    .openapi({ description: 'Only items behind this position: the `next` of the previous page' }),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const itemHead = {
  seq: z.int().openapi({ description: 'Position of the item in the job, from 0' }),
  id: z.string(),
  state: ItemState,
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  worker: z
    .string()
    .nullable()
    .openapi({ description: 'The worker of the outcome, or of the last lease of a failed task' }),
  attempt: z.int().nullable(),
  leased_at: moment,
  finished_at: moment,
  input_bytes: z.int(),
  output_bytes: z.int().nullable(),
  reused: z
    .boolean()
    .openapi({ description: 'The outcome belongs to another item with the same idempotency key' }),
};

/** Longest error message in a list of items, in UTF-16 code units. */
export const MAX_LISTED_MESSAGE = 500;

export const ListedItem = z
  .object({
    ...itemHead,
    error_message: itemHead.error_message.openapi({
      description: `Its first ${MAX_LISTED_MESSAGE} characters`,
    }),
  })
  .openapi('ListedItem');
export type ListedItem = z.infer<typeof ListedItem>;

export const ItemPage = z
  .object({
    items: z.array(ListedItem),
    next: z.int().nullable().openapi({
      description:
        'The `after` of the next page; null: there is none. A page can have fewer items than its limit',
    }),
  })
  .openapi('ItemPage');

/** An item is named in the query, because an id can contain anything, `/` and `..` included. */
export const ItemQuery = z
  .object({
    item_id: itemIdToFind.optional(),
    seq: Seq.min(0).optional().openapi({ description: 'The position of the item, instead of its id' }),
  })
  .refine(({ item_id, seq }) => (item_id === undefined) !== (seq === undefined), {
    path: ['item_id'],
    error: 'give either item_id or seq',
  });

export const ItemView = z
  .object({
    ...itemHead,
    input: z.string().openapi({ description: 'The exact JSON text of the payload' }),
    params: z.string().openapi({ description: "The exact JSON text of the job's parameters" }),
    output: z.string().nullable().openapi({ description: 'The exact JSON text of the output' }),
    error: z.string().nullable().openapi({ description: 'The JSON text of the error' }),
    usage: z.string().nullable().openapi({ description: 'The JSON text of what the model server counted' }),
    model: z.string().nullable().openapi({ description: 'The model that ran, as its server names it' }),
    model_digest: z.string().nullable(),
    attempts: z
      .array(
        z.object({
          attempt: z.int(),
          worker: z.string(),
          leased_at: z.iso.datetime({ offset: true }),
          current: z.boolean().openapi({ description: 'The worker holds the task now' }),
        }),
      )
      .openapi({ description: 'Up to 100 leases of the task that contains the item, newest first' }),
  })
  .openapi('ItemView');
export type ItemView = z.infer<typeof ItemView>;
