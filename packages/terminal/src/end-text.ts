import type { JobView } from '@macbatch/contract';
import type { FailureGroups } from '@macbatch/core';
import { stateText } from '@macbatch/wording';
import { failureTable } from './failure-table.ts';
import type { Paint } from './paint.ts';
import { summaryText, type UsedTokens } from './summary.ts';

/** What the end of a job shows beside the job itself. */
export interface JobEnd {
  readonly failures: FailureGroups;
  /** undefined if nobody has counted them. */
  readonly tokens?: UsedTokens | undefined;
  /** The path of the outcome file. */
  readonly outcomes?: string | undefined;
  /** The command that a person probably wants next. */
  readonly next: string;
}

/** Says in one block how a job ended: counts, failures by kind, tokens, time, rate, the outcome file, the next command. */
export function endText(job: JobView, { failures, tokens, outcomes, next }: JobEnd, paint: Paint): string {
  const isOk = job.items.ok === job.items.total;
  const parts = [paint(isOk ? 'good' : 'bad', stateText(job)), summaryText(job, tokens)];
  const groups = failures.list();
  if (groups.length > 0) parts.push(failureTable(groups));
  if (failures.others > 0)
    parts.push(`${failures.others.toLocaleString('en')} more failures are not in this list`);
  const facts = [...(outcomes === undefined ? [] : [`outcomes: ${outcomes}`]), `next: ${next}`];
  parts.push(facts.map((fact) => paint('weak', fact)).join('\n'));
  return parts.join('\n\n');
}
