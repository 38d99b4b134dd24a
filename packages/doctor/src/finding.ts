import { hideSecrets } from '@macbatch/core';

/** `fail`: something does not work or will lose data. `warn`: it works now, but may fail soon. */
export type FindingState = 'ok' | 'info' | 'warn' | 'fail';

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly state: FindingState;
  readonly found: string;
  /** What the user should do. */
  readonly fix?: string;
}

/** Makes a finding. `fix` is missing if there is nothing to do. */
export function finding(check: string, state: FindingState, found: string, fix?: string): Finding {
  // A finding may quote what a server has answered.
  return { check, state, found: hideSecrets(found), ...(fix === undefined ? {} : { fix: hideSecrets(fix) }) };
}
