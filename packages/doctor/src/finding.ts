/** `fail`: it does not work, or will lose something. `warn`: it works, and may not for long. */
export type FindingState = 'ok' | 'info' | 'warn' | 'fail';

/** What a check has found. */
export interface Finding {
  readonly check: string;
  readonly state: FindingState;
  readonly found: string;
  /** What to do about it. */
  readonly fix?: string;
}

export function finding(check: string, state: FindingState, found: string, fix?: string): Finding {
  return { check, state, found, ...(fix === undefined ? {} : { fix }) };
}
