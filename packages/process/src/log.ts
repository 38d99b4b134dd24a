import { pino } from 'pino';

/** Writes one event as a line of JSON: `event` is noun.verbed; no payloads, no secrets. */
export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

/** A log on standard output, one JSON line an event, in the order they happened. */
export function createLog(program: string): Log {
  const logger = pino(
    {
      base: { program },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      messageKey: 'event',
    },
    // Synchronous: the last lines before an exit must not be lost.
    pino.destination({ fd: 1, sync: true }),
  );
  return (event, fields = {}) => logger.info(fields, event);
}
