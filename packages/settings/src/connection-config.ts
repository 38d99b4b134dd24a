import { z } from 'zod';
import { flag } from './flag.ts';

/** The variables of every program that calls a control plane, without the control plane's URL. */
export const ConnectionConfig = z.object({
  MACBATCH_KEY: z.string().optional(),
  /** A file that contains the key, as container platforms mount secrets. */
  MACBATCH_KEY_FILE: z.string().optional(),
  /** A PEM file of certificates to trust in addition to the default ones. */
  MACBATCH_CA_FILE: z.string().optional(),
  MACBATCH_ALLOW_HTTP: flag.default(false),
});
export type ConnectionConfig = z.output<typeof ConnectionConfig>;
