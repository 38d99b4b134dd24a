import type { PruneReply } from '@macbatch/contract';
import { Presets, SingleBar } from 'cli-progress';
import { say, type Terminal } from './terminal.ts';

/** What of a prune there is to count: both go down as it goes on. */
const size = (left: PruneReply['left']): number => left.items + left.tasks;

/** Shows how far a prune is: a bar on a terminal, plain lines elsewhere. */
export function showPruning(
  terminal: Terminal,
  all: PruneReply['left'],
): { update(left: PruneReply['left']): void; stop(): void } {
  const total = size(all);
  if (terminal.stderr.isTTY !== true) {
    let shown = '';
    return {
      update(left) {
        const line = `${Math.max(0, total - size(left))}/${total} items and tasks deleted`;
        if (line !== shown && total > 0) say(terminal.stderr, line);
        shown = line;
      },
      stop: () => undefined,
    };
  }
  const bar = new SingleBar(
    {
      stream: terminal.stderr as NodeJS.WritableStream,
      format: ' {bar} {percentage}% | {value}/{total} items and tasks deleted',
      hideCursor: true,
      barsize: 30,
    },
    Presets.shades_classic,
  );
  if (total > 0) bar.start(total, 0);
  return {
    update: (left) => bar.update(Math.max(0, total - size(left))),
    stop: () => bar.stop(),
  };
}
