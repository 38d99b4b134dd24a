/**
 * A stand-in for a model's process that crashes at certain texts, like a crash in a native library. With the argument
 * `abort-at-start` it dies before it has its model.
 */
import type { ChildMessage, ReadTexts } from '../runtimes/use-lite/use-lite-messages.ts';

process.on('disconnect', () => process.exit(0));

if (process.argv[2] === 'abort-at-start') process.abort();
tell({ kind: 'loaded', digest: `pid ${process.pid}` });

process.on('message', (message) => {
  // The sender is `dying-runtime.ts`.
  const { id, texts } = message as ReadTexts;
  for (const text of texts) die(text, texts.length);
  tell({
    kind: 'read',
    id,
    readings: texts.map((text) => ({ vector: Float32Array.of(1), tokens: text.length, truncated: false })),
  });
});

function die(text: string, textsInBatch: number): void {
  if (text.startsWith('abort')) process.abort();
  if (text === 'exit') process.exit(3);
  if (text === 'kill') process.kill(process.pid, 'SIGKILL');
  // Simulates an item that needs too much memory while other items run.
  if (text === 'die-in-company' && textsInBatch > 1) process.abort();
  // The signal is on its way. Do not answer before it arrives.
  if (text === 'kill') for (;;);
}

function tell(message: ChildMessage): void {
  process.send?.(message, undefined, undefined, () => {});
}
