import type { Client } from '@macbatch/client';
import { ResultLine } from '@macbatch/contract';
import { FailureGroups } from '@macbatch/core';

/** Of more failures, the groups of the first ones are shown. */
const MAX_READ = 10_000;

/** Reads the failures of a job and groups them. Reads at most 10,000; the others count as `others`. */
export async function jobFailures(
  client: Client,
  jobId: string,
  failed: number,
  signal: AbortSignal,
): Promise<FailureGroups> {
  const groups = new FailureGroups();
  if (failed === 0) return groups;
  let read = 0;
  for await (const line of client.results(jobId, { status: 'error' }, { signal })) {
    const { id, error } = ResultLine.parse(JSON.parse(line));
    if (error !== undefined) groups.add(id, error);
    read += 1;
    if (read === MAX_READ) break;
  }
  groups.others += Math.max(0, failed - read);
  return groups;
}
