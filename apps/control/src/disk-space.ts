import { statfs } from 'node:fs/promises';
import type { ControlConfig } from '@macbatch/settings';

const MEGABYTE = 1024 * 1024;

/**
 * Returns a check whether the disk of an embedded database has space for another submission. (When the disk is full,
 * Postgres stops and cannot start again.) The check is always true for a database given by URL, whose disk is unknown.
 */
export function diskSpaceCheck(config: ControlConfig): () => Promise<boolean> {
  const { MACBATCH_DATA_DIR: dataDir, MACBATCH_MIN_FREE_MB: minFreeMb } = config;
  if (dataDir === undefined) return () => Promise.resolve(true);
  return async () => {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize >= minFreeMb * MEGABYTE;
  };
}
