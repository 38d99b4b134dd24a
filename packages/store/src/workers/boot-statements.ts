import { sql } from 'drizzle-orm';
import { boots } from '../database/schema.ts';

const role = sql`${sql.placeholder('role')}::text`;
const name = sql`${sql.placeholder('name')}::text`;

/** Whether a name has booted before, other than by this boot. */
export const nameKnown = sql`
  select exists (
    select from ${boots}
    where ${boots.role} = ${role} and ${boots.name} = ${name} and ${boots.bootId} <> ${sql.placeholder('boot')}::text
  ) as known`;

/** Keeps a boot; told again, the first verdict stands. */
export const addBoot = sql`
  insert into ${boots} (role, name, boot_id, pid, hostname, started_at, cwd, tmp_writable, previous_boot_id, verdict)
  values (${role}, ${name}, ${sql.placeholder('boot')}::text, ${sql.placeholder('pid')}::int, ${sql.placeholder('hostname')}::text,
    ${sql.placeholder('startedAt')}::text::timestamptz, ${sql.placeholder('cwd')}::text, ${sql.placeholder('tmpWritable')}::int = 1,
    ${sql.placeholder('previous')}::text, ${sql.placeholder('verdict')}::text)
  on conflict (boot_id) do update set boot_id = excluded.boot_id
  returning ${boots.verdict}`;

export interface BootRow {
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

export const listBoots = sql`
  select * from ${boots}
  where ${sql.placeholder('name')}::text is null or ${boots.name} = ${name}
  order by ${boots.id} desc
  limit ${sql.placeholder('limit')}::int`;
