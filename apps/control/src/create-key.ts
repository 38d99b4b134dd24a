import { parseArgs } from 'node:util';
import { newSecret } from '@macbatch/api';
import { KEY_ROLES, type KeyRole } from '@macbatch/core';
import { openPostgres } from '@macbatch/postgres';
import type { ControlConfig } from '@macbatch/settings';
import { createStore, migrate } from '@macbatch/store';
import { databaseOf } from './config.ts';

const USAGE = `Usage: keys create --role ${KEY_ROLES.join('|')} --name NAME [--group GROUP] [--worker-id ID], or: restored`;

export interface KeyRequest {
  readonly role: KeyRole;
  readonly name: string;
  readonly group: string;
  readonly workerId: string | null;
}

/** Parses `keys create …`, which creates the first key directly in the database. Throws an error with the usage. */
export function readKeyRequest(args: readonly string[]): KeyRequest {
  const [noun, verb, ...rest] = args;
  if (noun !== 'keys' || verb !== 'create') throw new Error(USAGE);
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...rest],
    options: { role: text, name: text, group: text, 'worker-id': text },
  });
  const role = KEY_ROLES.find((known) => known === values.role);
  const { name, group } = values;
  const workerId = values['worker-id'] ?? null;
  if (role === undefined || name === undefined || name === '') throw new Error(USAGE);
  if ((role === 'worker') !== (workerId !== null))
    throw new Error(`The role worker needs --worker-id, and other roles do not take it. ${USAGE}`);
  return { role, name, group: group ?? name, workerId };
}

/** Creates a key and prints it. The database stores only its hash. */
export async function printNewKey(config: ControlConfig, request: KeyRequest): Promise<void> {
  const { role, name, group, workerId } = request;
  const postgres = await openPostgres(databaseOf(config));
  try {
    await migrate(postgres.url);
    const store = createStore({ url: postgres.url });
    const { text, stored } = newSecret('mbk');
    await store.keys.add({ ...stored, role, name, owner: group, workerId, expiresInMs: null });
    await store.close();
    process.stdout.write(`${text}\n`);
  } finally {
    await postgres.close();
  }
}
