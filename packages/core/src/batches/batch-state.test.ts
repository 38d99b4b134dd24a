import { describe, expect, it } from 'vitest';
import {
  BATCH_EVENTS,
  BATCH_STATES,
  type BatchEvent,
  type BatchState,
  batchTransitions,
  ENDED_BATCH_STATES,
  nextBatchState,
} from './batch-state.ts';

/** Every state × every event. A dash: the event changes nothing. */
const TABLE = `
              input_valid  input_invalid items_ended  window_passed cancel      files_written
validating    in_progress  failed        -            -             cancelling  -
in_progress   -            -             finalizing   expiring      cancelling  -
finalizing    -            -             -            -             -           completed
expiring      -            -             -            -             -           expired
cancelling    -            -             -            -             -           cancelled
failed        -            -             -            -             -           -
completed     -            -             -            -             -           -
expired       -            -             -            -             -           -
cancelled     -            -             -            -             -           -
`;

const [events = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
const cells = rows.flatMap(([state = '', ...nexts]) =>
  events.map((event, n) => [state, event, nexts[n] ?? ''] as const),
);

describe('nextBatchState', () => {
  it.each(cells)('A4: %s × %s → %s', (state, event, next) => {
    expect(nextBatchState(state as BatchState, event as BatchEvent) ?? '-').toBe(next);
  });

  it('A4: the table has every state and every event', () => {
    expect(rows.map(([state]) => state)).toEqual(BATCH_STATES);
    expect(new Set(events)).toEqual(new Set(BATCH_EVENTS));
  });

  it('A4: no event changes a batch that has ended, and every other batch can end', () => {
    const canEnd = (state: BatchState): boolean =>
      ENDED_BATCH_STATES.some((ended) => ended === state) ||
      BATCH_EVENTS.some((event) => {
        const next = nextBatchState(state, event);
        return next !== null && canEnd(next);
      });
    for (const state of ENDED_BATCH_STATES)
      for (const event of BATCH_EVENTS) expect(nextBatchState(state, event)).toBeNull();
    expect(BATCH_STATES.filter((state) => !canEnd(state))).toEqual([]);
  });
});

describe('batchTransitions', () => {
  it('A4: lists the states that an event changes', () => {
    expect(batchTransitions('cancel')).toEqual([
      { from: 'validating', to: 'cancelling' },
      { from: 'in_progress', to: 'cancelling' },
    ]);
  });
});
