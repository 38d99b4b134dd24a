import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresServer } from '../postgres-server.ts';
import { openEmbedded } from './open-embedded.ts';

/** Starts an embedded server in a temporary folder, which is deleted on `close()` or when this process ends. */
export async function openThrowaway(log?: (line: string) => void): Promise<PostgresServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'macbatch-postgres-'));
  try {
    const server = await openEmbedded({ dataDir, log, throwaway: true });
    return {
      ...server,
      close: async () => {
        await server.close();
        // Needed only if the supervisor was killed.
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
}
