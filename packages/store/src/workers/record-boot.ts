import type { ConnectionPools } from '@macbatch/connection';
import { BOOT_VERDICTS, type BootVerdict, bootVerdict } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { knownValue } from '../database/known-value.ts';
import { boots } from '../database/schema.ts';
import { statement } from '../database/statement.ts';

/** One start of a program's process. */
export interface Boot {
  readonly role: 'worker' | 'control';
  readonly name: string;
  readonly bootId: string;
  readonly pid: number;
  readonly hostname: string;
  /** ISO 8601, by the program's own clock. */
  readonly startedAt: string;
  readonly cwd: string;
  readonly tmpWritable: boolean;
  /** The boot of the record on the program's own disk; null when it found none. */
  readonly previousBootId: string | null;
}

/** Whether another boot of this name is stored. */
const readNameKnown = statement<{ role: string; name: string; boot: string }, { readonly known: boolean }>(
  (arg) => sql`
  select exists (
    select from ${boots}
    where ${boots.role} = ${arg.role('text')} and ${boots.name} = ${arg.name('text')} and ${boots.bootId} <> ${arg.boot('text')}
  ) as known`,
);

type InsertBootArguments = {
  role: string;
  name: string;
  boot: string;
  pid: number;
  hostname: string;
  startedAt: string;
  cwd: string;
  tmpWritable: number;
  previous: string | null;
  verdict: string;
};

/** Stores a boot. A boot that is stored already keeps its first verdict. */
const insertBoot = statement<InsertBootArguments, { readonly verdict: string }>(
  (arg) => sql`
  insert into ${boots} (role, name, boot_id, pid, hostname, started_at, cwd, tmp_writable, previous_boot_id, verdict)
  values (${arg.role('text')}, ${arg.name('text')}, ${arg.boot('text')}, ${arg.pid('int')}, ${arg.hostname('text')},
    ${arg.startedAt('text')}::timestamptz, ${arg.cwd('text')}, ${arg.tmpWritable('int')} = 1,
    ${arg.previous('text')}, ${arg.verdict('text')})
  on conflict (boot_id) do update set boot_id = excluded.boot_id
  returning ${boots.verdict}`,
);

/** B4: stores a boot and returns what was known of its name before. */
export async function recordBoot({ durable }: ConnectionPools, boot: Boot): Promise<BootVerdict> {
  const { role, name, bootId, pid, hostname, startedAt, cwd } = boot;
  const { known } = await readNameKnown.one(durable, { role, name, boot: bootId });
  const verdict = bootVerdict({ nameKnown: known, recordFound: boot.previousBootId !== null });
  const stored = await insertBoot.one(durable, {
    role,
    name,
    boot: bootId,
    pid,
    hostname,
    startedAt,
    cwd,
    tmpWritable: boot.tmpWritable ? 1 : 0,
    previous: boot.previousBootId,
    verdict,
  });
  return knownValue(BOOT_VERDICTS, stored.verdict);
}
