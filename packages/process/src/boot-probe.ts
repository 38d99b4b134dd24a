import { randomUUID } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { appendRecord, lastRecord } from './boot-records.ts';

const BootRecord = z.object({
  boot_id: z.string().min(1).max(64),
  pid: z.int(),
  hostname: z.string(),
  started_at: z.string(),
  cwd: z.string(),
  tmp_writable: z.boolean(),
});
/** B1: facts about one start of a program. */
export type BootRecord = z.infer<typeof BootRecord>;

export interface BootProbe {
  readonly boot: BootRecord;
  readonly previous_record_found: boolean;
  /** The previous record was written by a different process. */
  readonly process_replaced: boolean;
  /** The disk still has what the last boot wrote. */
  readonly state_survived_restart: boolean;
  readonly previous_boot_id: string | null;
}

export interface BootProbeOptions {
  readonly role: 'worker' | 'control';
  readonly name: string;
  /** File of the records. @default `probe_state.json` in the system's folder for temporary files */
  readonly path?: string | undefined;
  /** ISO 8601. */
  readonly startedAt: string;
}

/**
 * B1, B2: reads the record of the program's last boot, writes a record of this boot, and compares the two. A record
 * that is missing, damaged or unreadable counts as none. A record that cannot be written does not stop the program.
 */
export function probeBoot(options: BootProbeOptions): BootProbe {
  const path = options.path ?? join(tmpdir(), 'probe_state.json');
  const program = `${options.role}:${options.name}`;
  const boot: BootRecord = {
    boot_id: randomUUID(),
    pid: process.pid,
    hostname: hostname(),
    started_at: options.startedAt,
    cwd: process.cwd(),
    tmp_writable: isWritable(tmpdir()),
  };
  const parsed = BootRecord.safeParse(lastRecord(path, program));
  appendRecord(path, program, boot);
  const previous = parsed.success ? parsed.data : null;
  // The three flags are always equal, because every boot writes its own record. B1 requires all of them.
  return {
    boot,
    previous_record_found: previous !== null,
    process_replaced: previous !== null && previous.boot_id !== boot.boot_id,
    state_survived_restart: previous !== null,
    previous_boot_id: previous?.boot_id ?? null,
  };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
