import { type BatchEvent, type BatchState, batchTransitions } from '@macbatch/core';
import { type SQL, sql } from 'drizzle-orm';
import { batches } from '../database/schema.ts';

/** The column with the time at which a batch reached each state. */
const TIME_COLUMN: Readonly<Record<BatchState, string | null>> = {
  validating: null, // created_at
  in_progress: 'in_progress_at',
  finalizing: 'finalizing_at',
  expiring: 'finalizing_at',
  cancelling: 'cancelling_at',
  failed: 'failed_at',
  completed: 'completed_at',
  expired: 'expired_at',
  cancelled: 'cancelled_at',
};

/**
 * Builds the UPDATE that applies an event to batches by core's table of transitions. A batch whose state the event does
 * not change is left out. `where` selects the batches; `also` sets more columns.
 */
export function transition(event: BatchEvent, where: SQL, also: SQL = sql``): SQL {
  const steps = batchTransitions(event);
  const from = sql.raw(steps.map((step) => `'${step.from}'`).join(', '));
  const state = sql.raw(steps.map((step) => `when '${step.from}' then '${step.to}'`).join(' '));
  const times = [...new Set(steps.map(({ to }) => TIME_COLUMN[to]).filter((column) => column !== null))].map(
    (column) => {
      const states = steps.filter(({ to }) => TIME_COLUMN[to] === column).map((step) => `'${step.from}'`);
      return sql.raw(
        `, ${column} = case when batches.state in (${states.join(', ')}) then now() else batches.${column} end`,
      );
    },
  );
  return sql`
  update ${batches} set state = case ${batches.state} ${state} end${sql.join(times)}${also}
  where ${batches.state} in (${from}) and ${where}`;
}
