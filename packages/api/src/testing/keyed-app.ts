import type { KeyRole } from '@macbatch/core';
import type { Store } from '@macbatch/store';
import { newSecret } from '../auth/key-text.ts';

export interface KeyOptions {
  readonly group?: string;
  readonly workerId?: string;
  readonly expiresInMs?: number;
}

/** Creates a key and returns its text. */
export async function keyFor(store: Store, role: KeyRole, options: KeyOptions = {}): Promise<string> {
  const { text, stored } = newSecret('mbk');
  await store.keys.add({
    ...stored,
    role,
    name: role,
    owner: options.group ?? role,
    workerId: role === 'worker' ? (options.workerId ?? 'ann') : null,
    expiresInMs: options.expiresInMs ?? null,
  });
  return text;
}

/** The header that carries a key. */
export function bearing(key: string): { readonly authorization: string } {
  return { authorization: `Bearer ${key}` };
}
