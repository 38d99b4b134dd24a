import { hideSecrets } from '@macbatch/core';
import { pino } from 'pino';

/** Writes one event as a line of JSON. `event` is noun.verbed. Fields hold no payloads and no secrets. */
export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Events that need an operator's attention. */
const WARNINGS: ReadonlySet<string> = new Set([
  'endpoint.waits',
  'task.not_here',
  'heartbeat.failed',
  'lease.failed',
  'report.delayed',
  'report.abandoned',
]);

/** Writes a line to standard output. Synchronous, so that the last lines before an exit are not lost. */
export function standardOutput(): (line: string) => void {
  const output = pino.destination({ fd: 1, sync: true });
  return (line) => void output.write(line);
}

/** Creates a log: one line of JSON for each event, in order. */
export function createLog(program: string, write: (line: string) => void = standardOutput()): Log {
  const logger = pino(
    {
      base: { program },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      messageKey: 'event',
    },
    // A field may quote what a server has answered.
    { write: (line) => write(hideSecrets(line)) },
  );
  return (event, fields = {}) => logger[WARNINGS.has(event) ? 'warn' : 'info'](fields, event);
}
