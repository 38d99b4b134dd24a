/**
 * A model's process that dies when a text tells it to, as a native library takes its process with it. The
 * argument names what it does before it has its model: `abort-at-start` dies there.
 */
import type { ChildMessage, ReadTexts } from '../runtimes/use-lite/use-lite-messages.ts';

process.on('disconnect', () => process.exit(0));

if (process.argv[2] === 'abort-at-start') process.abort();
tell({ kind: 'loaded', digest: `pid ${process.pid}` });

process.on('message', (message) => {
  // The other end is `dying-runtime.ts`.
  const { id, texts } = message as ReadTexts;
  for (const text of texts) die(text, texts.length);
  tell({
    kind: 'read',
    id,
    readings: texts.map((text) => ({ vector: Float32Array.of(1), tokens: text.length, truncated: false })),
  });
});

function die(text: string, companions: number): void {
  if (text.startsWith('abort')) process.abort();
  if (text === 'exit') process.exit(3);
  if (text === 'kill') process.kill(process.pid, 'SIGKILL');
  // Too much only together with the others, as memory is.
  if (text === 'die-in-company' && companions > 1) process.abort();
  // Killed by a signal that is on its way: nothing may be answered first.
  if (text === 'kill') for (;;);
}

function tell(message: ChildMessage): void {
  process.send?.(message, undefined, undefined, () => {});
}
