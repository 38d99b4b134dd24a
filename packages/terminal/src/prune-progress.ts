import type { PruneReply } from '@macbatch/contract';
import { Presets, SingleBar } from 'cli-progress';
import { printLine, type Terminal } from './terminal.ts';

/** Counts the rows that a prune still has to delete. */
const size = (left: PruneReply['left']): number => left.items + left.tasks;

/** Shows the progress of a prune: a bar on a terminal, plain lines elsewhere. */
export function showPruneProgress(
  terminal: Terminal,
  all: PruneReply['left'],
): { update(left: PruneReply['left']): void; stop(): void } {
  const total = size(all);
  if (terminal.stderr.isTTY !== true) {
    let shown = '';
    return {
      update(left) {
        const line = `${Math.max(0, total - size(left))}/${total} items and tasks deleted`;
        if (line !== shown && total > 0) printLine(terminal.stderr, line);
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
