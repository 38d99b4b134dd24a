import { z } from 'zod';

/** A variable with the name of a control plane or a worker. */
export const programName = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be printable ASCII without spaces');

/** Makes a program's name of a host name: replaces what a name must not contain. */
export function nameOfHost(hostname: string, fallback: string): string {
  return hostname.replaceAll(/[^\x21-\x7e]+/g, '-').slice(0, 200) || fallback;
}
