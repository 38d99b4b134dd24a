/**
 * What a worker and a control plane must agree on, as a number that grows when it changes. Sent as a header,
 * which a program of an earlier release ignores.
 */
export const PROTOCOL_VERSION = 2;
export const PROTOCOL_HEADER = 'macbatch-protocol';

/** What programs speak that send no version: the first release did not. */
const UNTOLD_VERSION = 1;

export type Compatibility = 'compatible' | 'too_old' | 'too_new';

/** The version that a header tells; NaN where it is no number. */
export function protocolVersionOf(header: string | null | undefined): number {
  if (header === null || header === undefined) return UNTOLD_VERSION;
  return /^\d{1,6}$/.test(header) ? Number(header) : Number.NaN;
}

/**
 * Whether the other side can be worked with: each release serves itself and the one before. An upgrade
 * begins with the control plane, so a newer worker has come too early.
 */
export function compatibility(theirs: number, ours: number = PROTOCOL_VERSION): Compatibility {
  if (theirs > ours) return 'too_new';
  return theirs >= ours - 1 ? 'compatible' : 'too_old';
}
