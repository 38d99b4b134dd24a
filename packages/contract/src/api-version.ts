/**
 * The version of the HTTP interface between worker and control plane. It grows with each incompatible change. Sent as a
 * header, which programs of earlier releases ignore.
 */
export const API_VERSION = 2;
export const API_VERSION_HEADER = 'macbatch-protocol';

/** The version of programs that send no header: the first release sent none. */
const VERSION_WITHOUT_HEADER = 1;

export type Compatibility = 'compatible' | 'too_old' | 'too_new';

/** Parses the version header; NaN if it is not a number. */
export function apiVersionOf(header: string | null | undefined): number {
  if (header === null || header === undefined) return VERSION_WITHOUT_HEADER;
  return /^\d{1,6}$/.test(header) ? Number(header) : Number.NaN;
}

/**
 * Compares the versions of both sides. Each version is compatible with itself and the previous one. An upgrade
 * starts with the control plane, so a newer worker is refused.
 */
export function compatibility(theirs: number, ours: number = API_VERSION): Compatibility {
  if (theirs > ours) return 'too_new';
  return theirs >= ours - 1 ? 'compatible' : 'too_old';
}
