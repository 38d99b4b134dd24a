import { createLog, shutdownSignals } from './index.ts';

/** Logs a shutdown request, and exits at a forced shutdown. */
const log = createLog('fixture');
const { shutdownRequested, forceQuit } = shutdownSignals(process);
const reasonOf = (signal: AbortSignal) => (signal.reason instanceof Error ? signal.reason.message : '?');

shutdownRequested.addEventListener('abort', () =>
  log('end.requested', { reason: reasonOf(shutdownRequested) }),
);
forceQuit.addEventListener('abort', () => {
  log('end.forced', { reason: reasonOf(forceQuit) });
  process.exit(0);
});
log('program.started', { text: 'two\nlines, a "quote", \u0000', nested: { list: [1, null] } });
// A channel or a pipe alone does not keep the process alive after its parent has ended.
setInterval(() => undefined, 1000);
