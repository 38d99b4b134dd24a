import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const ModelsStatus = z.object({
  /** The process of the worker. */
  pid: z.int().positive(),
  /** What it cannot run now, and why. */
  troubles: z.array(
    z.object({
      job_type: z.string(),
      model: z.string(),
      endpoint: z.string(),
      code: z.string(),
      message: z.string(),
      next_try_seconds: z.number().nullable(),
    }),
  ),
  /** The most items of a model that it runs concurrently now. */
  limits: z.array(z.object({ endpoint: z.string(), model: z.string(), items: z.number() })),
});

/** What a running worker has said about its models. */
export type ModelsStatus = z.output<typeof ModelsStatus>;

/** The file in a worker's folder that tells `worker models` about the running worker. */
export const MODELS_STATUS = 'models.json';

/** Reads what a worker of this machine has said about its models. Returns null if it does not run. */
export async function readModelsStatus(stateDir: string, workerId: string): Promise<ModelsStatus | null> {
  try {
    const path = join(stateDir, encodeURIComponent(workerId), MODELS_STATUS);
    const status = ModelsStatus.parse(JSON.parse(await readFile(path, 'utf8')));
    // Throws if the process has ended.
    process.kill(status.pid, 0);
    return status;
  } catch {
    return null;
  }
}
