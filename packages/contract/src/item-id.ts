import { z } from '@hono/zod-openapi';
import { MAX_ITEM_ID_LENGTH } from '@macbatch/core';

/** An item id on the wire. Core counts its characters; here they are UTF-16 code units, at most two each. */
export const itemId = z
  .string()
  .min(1)
  .max(2 * MAX_ITEM_ID_LENGTH);
