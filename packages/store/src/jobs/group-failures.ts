import type { ConnectionPools } from '@macbatch/connection';
import { type FailureGroup, FailureGroups, failureGroupId } from '@macbatch/core';
import { jobFailures } from './read-failures.ts';

/** Of more failures, the groups of the first ones are listed: grouping reads each message. */
const MAX_GROUPED = 10_000;

/** The failures of a job by group. */
export interface GroupedFailures {
  readonly groups: readonly FailureGroup[];
  /** Failed items that are in none of the groups. */
  readonly others: number;
}

/** Groups the first 10,000 failures of a job, which has `failed` failed items. */
export async function groupFailures(
  connections: ConnectionPools,
  job: string,
  failed: number,
): Promise<GroupedFailures> {
  const groups = new FailureGroups();
  let read = 0;
  for await (const page of failed === 0 ? [] : jobFailures(connections, job)) {
    for (const { failure, itemId, items } of page) groups.add(itemId, failure, items);
    read += page.length;
    if (read >= MAX_GROUPED) break;
  }
  const list = groups.list();
  const listed = list.reduce((sum, { count }) => sum + count, 0);
  return { groups: list, others: Math.max(0, failed - listed) };
}

/** What a retry of one group of failures sends back. */
export interface SelectedFailures {
  readonly seqs: readonly number[];
  readonly taskIds: readonly string[];
}

/** Finds all failures of a group, however many there are. Keeps only their numbers. */
export async function selectFailures(
  connections: ConnectionPools,
  job: string,
  groupId: string,
): Promise<SelectedFailures> {
  const seqs: number[] = [];
  const taskIds: string[] = [];
  for await (const page of jobFailures(connections, job)) {
    for (const { of, failure } of page) {
      if (failureGroupId(failure) !== groupId) continue;
      if ('seq' in of) seqs.push(of.seq);
      else taskIds.push(of.taskId);
    }
  }
  return { seqs, taskIds };
}
