import type { Effect } from './effect.ts';
import type { WorkerState } from './worker-state.ts';

/** A new state, and the effects to carry out. */
export interface Step {
  readonly state: WorkerState;
  readonly effects: readonly Effect[];
}

/** One change of the state. Steps are built from changes in order. */
export type Change = (state: WorkerState) => Step;

/** Makes changes one after the other and collects their effects. */
export function inOrder(...changes: readonly Change[]): Change {
  return (state) =>
    changes.reduce<Step>(
      (before, change) => {
        const after = change(before.state);
        return { state: after.state, effects: [...before.effects, ...after.effects] };
      },
      { state, effects: [] },
    );
}

/** Makes the same kind of change for each element, in order. */
export function forEach<Element>(elements: Iterable<Element>, change: (element: Element) => Change): Change {
  return inOrder(...Array.from(elements, change));
}

/** Changes the state and does nothing else. */
export function set(changed: (state: WorkerState) => WorkerState): Change {
  return (state) => ({ state: changed(state), effects: [] });
}

/** Adds an effect. */
export function emit(...effects: readonly Effect[]): Change {
  return (state) => ({ state, effects });
}

/** Logs an event. */
export function log(event: string, fields: Readonly<Record<string, unknown>>): Change {
  return emit({ kind: 'log', event, fields });
}

/** Changes nothing. */
export const nothing: Change = (state) => ({ state, effects: [] });
