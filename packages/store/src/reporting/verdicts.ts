import { refusal } from '@macbatch/core';
import { leaseRefusal } from '../tasks/lease-refusal.ts';
import type { LockedTaskRow } from '../tasks/locked-tasks.ts';
import { parseTaskStatus } from '../tasks/task-status.ts';
import type { Verdict } from './report-entry.ts';
import type { ReportedRow } from './report-outcomes.ts';

/** The verdict on an entry whose outcomes were reported. */
export function verdictOnOutcomes(row: ReportedRow, worker: string, attempt: number): Verdict {
  const { attempts, cancelled } = row;
  if (row.new_status !== null) {
    const recordedElsewhere =
      row.recorded_elsewhere === null ? {} : { recordedElsewhere: row.recorded_elsewhere };
    const code = row.errors_dropped ? { code: 'lease_lost' as const } : {};
    return { outcome: 'accepted', status: parseTaskStatus(row.new_status), ...code, ...recordedElsewhere };
  }
  const status = parseTaskStatus(row.old_status);
  if (!row.granted) return { outcome: 'refused', status, code: 'not_leased' };
  if (status !== 'done' && !cancelled) {
    if (row.unknown > 0) return { outcome: 'refused', status, code: 'unknown_item' };
    if (row.missing > 0) return { outcome: 'refused', status, code: 'missing_items' };
    throw new Error(`No rule accepted a report on a task that is ${status}, and none refuses it.`);
  }
  const code = refusal({ status, attempts, cancelled }, { type: 'report', attempt });
  if (code === 'already_done')
    return { outcome: row.assigned_worker === worker ? 'duplicate' : 'superseded', status };
  return { outcome: 'refused', status, code };
}

/** The verdict on an entry whose task was given up. `outcomesAccepted` says that its outcomes were recorded before. */
export function verdictOnFailure(row: LockedTaskRow, attempt: number, outcomesAccepted: boolean): Verdict {
  if (row.new_status !== null) return { outcome: 'accepted', status: parseTaskStatus(row.new_status) };
  const status = parseTaskStatus(row.old_status);
  const code = leaseRefusal('fail', row, attempt);
  if (code === 'already_done') return { outcome: outcomesAccepted ? 'accepted' : 'superseded', status };
  return outcomesAccepted ? { outcome: 'accepted', status, code } : { outcome: 'refused', status, code };
}
