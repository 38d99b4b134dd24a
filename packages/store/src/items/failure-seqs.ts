import type { ConnectionPools } from '@macbatch/connection';
import { failureGroupId } from '@macbatch/core';
import { errorPages, failedTaskPages } from '../jobs/read-failures.ts';
import { seqsOfTasks } from './item-seqs.ts';

/** Finds the positions of the next items of a group of failures, behind `after`. */
export async function failureSeqs(
  connections: ConnectionPools,
  job: string,
  group: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly number[]> {
  const recorded: number[] = [];
  for await (const page of errorPages(connections, job, after)) {
    for (const { of, failure } of page)
      if ('seq' in of && failureGroupId(failure) === group) recorded.push(of.seq);
    if (recorded.length >= limit) break;
  }
  const taskIds: string[] = [];
  for await (const page of failedTaskPages(connections, job))
    for (const { of, failure } of page)
      if ('taskId' in of && failureGroupId(failure) === group) taskIds.push(of.taskId);
  const ofTasks =
    taskIds.length === 0 ? [] : await seqsOfTasks.run(connections.durable, { job, after, limit, taskIds });
  return [...recorded, ...ofTasks.map(({ seq }) => seq)].sort((a, b) => a - b).slice(0, limit);
}
