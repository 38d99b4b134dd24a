import { createLog, shutdownSignals } from './index.ts';

/** A program that says when it was asked to end, and ends when it is asked again. */
const log = createLog('fixture');
const { asked, insisted } = shutdownSignals(process);
const reasonOf = (signal: AbortSignal) => (signal.reason instanceof Error ? signal.reason.message : '?');

asked.addEventListener('abort', () => log('end.asked', { reason: reasonOf(asked) }));
insisted.addEventListener('abort', () => {
  log('end.insisted', { reason: reasonOf(insisted) });
  process.exit(0);
});
log('program.started', { text: 'two\nlines, a "quote", \u0000', nested: { list: [1, null] } });
// A channel or a pipe alone would not keep it alive after its parent has gone.
setInterval(() => undefined, 1000);
