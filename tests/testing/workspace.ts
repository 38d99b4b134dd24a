import { resolve } from 'node:path';

/** The folder of the repository. */
export const WORKSPACE = resolve(import.meta.dirname, '../..');
