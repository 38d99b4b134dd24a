import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyHalves } from '@macbatch/store';

/** `mbk_` keys and `mbj_` join tokens: a public id of 64 bits, and a secret of 256 in base64url. */
const TEXT = /^(mbk|mbj)_([0-9a-f]{16})_([\w-]{43})$/;

export type SecretKind = 'mbk' | 'mbj';

export interface NewSecret {
  /** What its holder is told, once. */
  readonly text: string;
  /** What is kept. */
  readonly halves: KeyHalves;
}

/** A new key or join token. */
export function newSecret(kind: SecretKind): NewSecret {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { text: `${kind}_${id}_${secret}`, halves: { id, hash: hashOf(secret) } };
}

/** The halves of a key or join token, or null where the text is none. */
export function parseSecret(kind: SecretKind, text: string): KeyHalves | null {
  const [, found, id = '', secret = ''] = TEXT.exec(text) ?? [];
  return found === kind ? { id, hash: hashOf(secret) } : null;
}

/** In constant time. */
export function sameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

// Not a slow hash: the secret is 256 random bits, which no dictionary holds.
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
