import { z } from 'zod';

/** A variable that switches something on or off. */
export const flag = z
  .enum(['0', '1', 'false', 'true'], 'must be 0 or 1')
  .transform((text) => text === '1' || text === 'true');
