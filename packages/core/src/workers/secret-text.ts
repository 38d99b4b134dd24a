/** `mbk` marks keys, `mbj` join tokens and `mbs` sessions of a browser. */
export type SecretKind = 'mbk' | 'mbj' | 'mbs';

/** The public id of a secret, and the part that only its owner knows. */
export interface SecretText {
  readonly id: string;
  readonly secret: string;
}

/** A kind, a public id of 64 bits and a base64url secret of 256 bits. */
const SECRET = /(?<![\w-])(mb[kjs])_([0-9a-f]{16})_([\w-]{43})(?![\w-])/g;

/** Parses a secret of this kind; null if the text is anything else. */
export function parseSecretText(kind: SecretKind, text: string): SecretText | null {
  const [found, ...others] = text.matchAll(SECRET);
  const [whole, foundKind, id = '', secret = ''] = found ?? [];
  return whole === text && foundKind === kind && others.length === 0 ? { id, secret } : null;
}

/**
 * Finds the one secret of this kind in a text, such as a file that also has the banner of the program whose output it
 * is. Null if there is none, or more than one.
 */
export function findSecretText(kind: SecretKind, text: string): string | null {
  const found = [...text.matchAll(SECRET)].filter(([, foundKind]) => foundKind === kind);
  const [only] = new Set(found.map(([whole]) => whole));
  return found.every(([whole]) => whole === only) ? (only ?? null) : null;
}

/** Replaces the secret part of every key, join token and session in a text, for messages that quote what others have sent. */
export function hideSecrets(text: string): string {
  return text.replaceAll(/(mb[kjs]_[0-9a-f]{16}_)[\w-]+/g, '$1[secret]');
}
