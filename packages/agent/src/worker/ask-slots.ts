import { type Change, emit, inOrder, nothing } from './change.ts';
import { withRuntime } from './endpoint-runs.ts';

/** Asks a server for its number of slots before the first item of a model, once. */
export function askSlots(runtime: number | null, model: string): Change {
  return (state) => {
    const found = runtime === null ? undefined : state.runtimes[runtime];
    if (runtime === null || found?.control.remote !== true || found.slotsAsked.includes(model))
      return nothing(state);
    return inOrder(
      withRuntime(runtime, (before) => ({ ...before, slotsAsked: [...before.slotsAsked, model] })),
      emit({ kind: 'ask_slots', runtime, model }),
    )(state);
  };
}
