import { z } from 'zod';
import { ConnectionConfig } from './connection-config.ts';
import { DEFAULT_CONTROL_URL } from './default-url.ts';

/** The variables of the `macbatch` command itself. */
export const CommandLineConfig = z.object({
  ...ConnectionConfig.shape,
  /** The path of the configuration file. */
  MACBATCH_CONFIG: z.string().optional(),
  MACBATCH_URL: z.string().default(DEFAULT_CONTROL_URL),
  MACBATCH_DATA_DIR: z.string().default('.macbatch'),
});
