import type { BootReport } from '@macbatch/contract';
import type { Boot } from '@macbatch/store';

/** Converts a reported boot to the form that the store keeps. */
export function toBoot({ role, name, boot, previous_boot_id }: BootReport): Boot {
  return {
    role,
    name,
    bootId: boot.boot_id,
    pid: boot.pid,
    hostname: boot.hostname,
    startedAt: boot.started_at,
    cwd: boot.cwd,
    tmpWritable: boot.tmp_writable,
    previousBootId: previous_boot_id,
  };
}
