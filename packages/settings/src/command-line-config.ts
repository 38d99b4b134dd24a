import { z } from 'zod';
import { ConnectionConfig } from './connection-config.ts';

/** The variables of the `macbatch` command itself. */
export const CommandLineConfig = z.object({
  ...ConnectionConfig.shape,
  MACBATCH_URL: z.string().optional(),
  MACBATCH_DATA_DIR: z.string().optional(),
});
