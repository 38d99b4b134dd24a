import { randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const BootRecord = z.object({
  boot_id: z.string().min(1).max(64),
  pid: z.int(),
  hostname: z.string(),
  started_at: z.string(),
  cwd: z.string(),
  tmp_writable: z.boolean(),
});
/** B1: what a program notes of its own start. */
export type BootRecord = z.infer<typeof BootRecord>;

/** The record's file: one record for each role and name. */
const Records = z.record(z.string(), z.unknown());

export interface BootProbe {
  readonly boot: BootRecord;
  readonly previous_record_found: boolean;
  /** The record tells of another process than this one. */
  readonly process_replaced: boolean;
  /** The disk is the one that the last boot wrote to. */
  readonly state_survived_restart: boolean;
  readonly previous_boot_id: string | null;
}

export interface BootProbeOptions {
  readonly role: 'worker' | 'control';
  readonly name: string;
  /** Place of the record; `PROBE_STATE`, by default `probe_state.json` in the system's temp folder. */
  readonly path?: string | undefined;
  /** ISO 8601. */
  readonly startedAt: string;
}

/**
 * B1, B2: reads the record of the last boot, writes one of this, and says how they compare. A record that is
 * missing, torn, of another shape or out of reach counts as none, and one that can't be written stops
 * nobody.
 */
export function probeBoot(options: BootProbeOptions): BootProbe {
  const path = options.path ?? join(tmpdir(), 'probe_state.json');
  const boot: BootRecord = {
    boot_id: randomUUID(),
    pid: process.pid,
    hostname: hostname(),
    started_at: options.startedAt,
    cwd: process.cwd(),
    tmp_writable: isWritable(tmpdir()),
  };
  const key = `${options.role}:${options.name}`;
  const previous = withLock(path, () => {
    const records = readRecords(path);
    writeRecords(path, { ...records, [key]: boot });
    return BootRecord.safeParse(records[key]);
  });
  const found = previous?.success === true ? previous.data : null;
  return {
    boot,
    previous_record_found: found !== null,
    process_replaced: found !== null && found.boot_id !== boot.boot_id,
    state_survived_restart: found !== null,
    previous_boot_id: found?.boot_id ?? null,
  };
}

function readRecords(path: string): Record<string, unknown> {
  try {
    return Records.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}

function writeRecords(path: string, records: Record<string, unknown>): void {
  try {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(records), { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    // B2: never stops the program; the next boot will find no record, which is the truth.
  }
}

/** A lock older than this was left by a program that died with it. */
const STALE_LOCK_MS = 2000;
const LOCK_TRIES = 400;
const LOCK_PAUSE_MS = 10;

/** Programs of one host take turns, so that none writes over another's record. */
function withLock<Result>(path: string, run: () => Result): Result {
  const lock = `${path}.lock`;
  const held = takeLock(lock);
  try {
    return run();
  } finally {
    if (held) removeLock(lock);
  }
}

function takeLock(lock: string): boolean {
  for (let attempt = 0; attempt < LOCK_TRIES; attempt += 1) {
    try {
      mkdirSync(lock);
      return true;
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'EEXIST') return false; // not writable: nobody can
      if (isStale(lock)) removeLock(lock);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_PAUSE_MS);
    }
  }
  return false;
}

function isStale(lock: string): boolean {
  try {
    return Date.now() - statSync(lock).mtimeMs > STALE_LOCK_MS;
  } catch {
    return false;
  }
}

function removeLock(lock: string): void {
  try {
    rmdirSync(lock);
  } catch {
    // Another program was faster.
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
