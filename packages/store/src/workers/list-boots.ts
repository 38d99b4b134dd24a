import type { ConnectionPools } from '@macbatch/connection';
import { BOOT_VERDICTS, type BootVerdict } from '@macbatch/core';
import { sql } from 'drizzle-orm';
import { knownValue } from '../database/known-value.ts';
import { boots } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { Boot } from './record-boot.ts';

interface BootRow {
  readonly role: string;
  readonly name: string;
  readonly boot_id: string;
  readonly pid: number;
  readonly hostname: string;
  readonly started_at: Date;
  readonly cwd: string;
  readonly tmp_writable: boolean;
  readonly previous_boot_id: string | null;
  readonly verdict: string;
  readonly at: Date;
}

const readBoots = statement<{ name: string | null; limit: number }, BootRow>(
  (arg) => sql`
  select * from ${boots}
  where ${arg.name('text')} is null or ${boots.name} = ${arg.name('text')}
  order by ${boots.id} desc
  limit ${arg.limit('int')}`,
);

/** A stored boot. */
export interface KnownBoot extends Omit<Boot, 'role' | 'startedAt'> {
  readonly role: string;
  readonly startedAt: Date;
  readonly verdict: BootVerdict;
  readonly reportedAt: Date;
}

/** Reads boots of one name, or of all, newest first. */
export async function listBoots(
  { durable }: ConnectionPools,
  page: { readonly name: string | null; readonly limit: number },
): Promise<KnownBoot[]> {
  return (await readBoots.run(durable, page)).map((row) => ({
    role: row.role,
    name: row.name,
    bootId: row.boot_id,
    pid: row.pid,
    hostname: row.hostname,
    startedAt: row.started_at,
    cwd: row.cwd,
    tmpWritable: row.tmp_writable,
    previousBootId: row.previous_boot_id,
    verdict: knownValue(BOOT_VERDICTS, row.verdict),
    reportedAt: row.at,
  }));
}
