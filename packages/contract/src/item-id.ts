import { z } from '@hono/zod-openapi';
import { itemIdProblem, MAX_ITEM_ID_LENGTH } from '@macbatch/core';

/** An item id. The schema counts UTF-16 code units (at most two per character). Core counts characters. */
export const itemId = z
  .string()
  .min(1)
  .max(2 * MAX_ITEM_ID_LENGTH);

/** An item id in a query: any valid id. */
export const itemIdToFind = itemId.refine((id) => itemIdProblem(id) === null, {
  error: (issue) => itemIdProblem(issue.input) ?? 'is not a valid item id',
});
