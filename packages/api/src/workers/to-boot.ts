import type { BootReport } from '@macbatch/contract';
import type { Boot } from '@macbatch/store';

/** A boot as a program tells it, as the store keeps it. */
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
