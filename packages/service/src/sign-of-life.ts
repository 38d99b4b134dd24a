import { parseLogLine } from './log-lines.ts';

/** What the log of a worker says since it was started. */
export type SignOfLife =
  /** The control plane has answered its heartbeat. */
  | { readonly kind: 'alive' }
  /** Its process runs, but no heartbeat was answered. */
  | { readonly kind: 'unanswered'; readonly problem: string | null }
  | { readonly kind: 'failed'; readonly reason: string };

/** Judges the lines of a log, oldest first; null if they say nothing about a worker. The newest start counts. */
export function signOfLife(lines: readonly string[]): SignOfLife | null {
  let sign: SignOfLife | null = null;
  for (const line of lines) {
    const { event, error, reason, boot } = parseLogLine(line) ?? {};
    if (boot !== undefined) sign = { kind: 'unanswered', problem: null };
    if (event === 'worker.running') sign = { kind: 'alive' };
    if (event === 'worker.failed') sign = { kind: 'failed', reason: String(error) };
    if (event === 'heartbeat.failed') sign = { kind: 'unanswered', problem: String(reason) };
  }
  return sign;
}
