const MARKS: Readonly<Record<string, string>> = {
  queued: '○',
  running: '▶',
  done: '✓',
  ok: '✓',
  failed: '✕',
  error: '✕',
  cancelled: '⊘',
  open: '○',
  working: '▶',
  idle: '–',
  alive: '–',
  paused: '‖',
  waiting: '!',
  silent: '?',
  offline: '⏻',
};

/** A state with a mark of its own, because a colour alone does not reach everybody. */
export function Badge({ state, text }: { readonly state: string; readonly text?: string }) {
  return (
    <span class="badge" data-state={state}>
      <span aria-hidden="true">{MARKS[state] ?? '•'}</span> {text ?? state}
    </span>
  );
}
