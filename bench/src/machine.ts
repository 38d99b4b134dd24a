import { cpus, loadavg, totalmem } from 'node:os';

/** Describes this machine in one line: processors, memory, system and load. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const [, , load = 0] = loadavg();
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} x ${cpu?.model.trim() ?? 'unknown CPU'}, ${memory} GB, ${process.platform} ${process.arch}, load average ${load.toFixed(1)}`;
}
