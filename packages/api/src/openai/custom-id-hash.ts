import { hash } from 'node:crypto';

/** A hash of 64 bits, by which custom ids are compared. */
export function customIdHash(customId: string): bigint {
  return hash('sha256', customId, 'buffer').readBigUInt64LE();
}
