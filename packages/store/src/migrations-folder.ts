import { fileURLToPath } from 'node:url';

/** This file stays at the top of `src`: the path also has to hold in `dist` and in the bundled control plane. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../migrations', import.meta.url));
