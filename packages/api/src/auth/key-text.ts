import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { StoredSecret } from '@macbatch/store';

/** `mbk_` marks keys and `mbj_` join tokens. Both have a public id of 64 bits and a base64url secret of 256 bits. */
const TEXT = /^(mbk|mbj)_([0-9a-f]{16})_([\w-]{43})$/;

export type SecretKind = 'mbk' | 'mbj';

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
  const [, found, id = '', secret = ''] = TEXT.exec(text) ?? [];
  return found === kind ? { id, hash: hashOf(secret) } : null;
}

/** Compares hashes in constant time. */
export function sameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

// A fast hash is enough, because nobody can guess a secret of 256 random bits.
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
