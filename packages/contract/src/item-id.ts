import { z } from '@hono/zod-openapi';
import { itemIdProblem, MAX_ITEM_ID_LENGTH } from '@macbatch/core';

/** An item id on the wire. Core counts its characters; here they are UTF-16 code units, at most two each. */
export const itemId = z
  .string()
  .min(1)
  .max(2 * MAX_ITEM_ID_LENGTH);

/** An item id that is looked up, and so must be one that an item can have. */
export const itemIdToFind = itemId.refine((id) => itemIdProblem(id) === null, {
  error: (issue) => itemIdProblem(issue.input) ?? 'is no item id',
});
