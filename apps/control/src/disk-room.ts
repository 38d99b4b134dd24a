import { statfs } from 'node:fs/promises';
import type { ControlConfig } from '@macbatch/settings';

const MEGABYTE = 1024 * 1024;

/**
 * Whether the disk of an embedded database has room for another submission. A server whose disk is really
 * full stops, and does not start again before there is room: it is better not to get there. The disk of a
 * database that is given by URL is not ours to look at.
 */
export function roomFor(config: ControlConfig): () => Promise<boolean> {
  const { MACBATCH_DATA_DIR: dataDir, MACBATCH_MIN_FREE_MB: least } = config;
  if (dataDir === undefined) return () => Promise.resolve(true);
  return async () => {
    const { bavail, bsize } = await statfs(dataDir);
    return bavail * bsize >= least * MEGABYTE;
  };
}
