import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseSecretText, type SecretKind } from '@macbatch/core';
import type { StoredSecret } from '@macbatch/store';

export interface NewSecret {
  /** The complete secret. It is shown only once and not stored. */
  readonly text: string;
  /** The parts that are stored. */
  readonly stored: StoredSecret;
}

/** Creates a key or join token. */
export function newSecret(kind: SecretKind): NewSecret {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { text: `${kind}_${id}_${secret}`, stored: { id, hash: hashOf(secret) } };
}

/** Parses a key or join token; null if the text is not valid. */
export function parseSecret(kind: SecretKind, text: string): StoredSecret | null {
  const parsed = parseSecretText(kind, text);
  return parsed === null ? null : { id: parsed.id, hash: hashOf(parsed.secret) };
}

/** Compares hashes in constant time. */
export function sameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

// A fast hash is enough, because nobody can guess a secret of 256 random bits.
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
