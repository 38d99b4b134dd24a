/**
 * The states of a batch. `expiring` is ours: the 24 hours have passed and the files are being written. Clients see it
 * as `finalizing`.
 */
export const BATCH_STATES = [
  'validating',
  'in_progress',
  'finalizing',
  'expiring',
  'cancelling',
  'failed',
  'completed',
  'expired',
  'cancelled',
] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** States that no event changes. */
export const ENDED_BATCH_STATES = ['failed', 'completed', 'expired', 'cancelled'] as const;

/**
 * What happens to a batch. `items_ended`: every item of its jobs has an outcome. `window_passed`: the completion
 * window is over. `files_written`: the output and error files are complete.
 */
export const BATCH_EVENTS = [
  'input_valid',
  'input_invalid',
  'items_ended',
  'window_passed',
  'cancel',
  'files_written',
] as const;
export type BatchEvent = (typeof BATCH_EVENTS)[number];

/** The next state for each state and event. An event that is missing for a state changes nothing. */
const TRANSITIONS: Readonly<Record<BatchState, { readonly [Event in BatchEvent]?: BatchState }>> = {
  validating: { input_valid: 'in_progress', input_invalid: 'failed', cancel: 'cancelling' },
  in_progress: { items_ended: 'finalizing', window_passed: 'expiring', cancel: 'cancelling' },
  finalizing: { files_written: 'completed' },
  expiring: { files_written: 'expired' },
  cancelling: { files_written: 'cancelled' },
  failed: {},
  completed: {},
  expired: {},
  cancelled: {},
};

/** Returns the state after an event; null when the event changes nothing. */
export function nextBatchState(state: BatchState, event: BatchEvent): BatchState | null {
  return TRANSITIONS[state][event] ?? null;
}

/** Lists the states that an event changes, each with the state that follows. */
export function batchTransitions(
  event: BatchEvent,
): readonly { readonly from: BatchState; readonly to: BatchState }[] {
  return BATCH_STATES.flatMap((from) => {
    const to = nextBatchState(from, event);
    return to === null ? [] : [{ from, to }];
  });
}
