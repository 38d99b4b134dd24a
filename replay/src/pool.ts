import type { PoolMessage, PoolTask } from './measured.ts';
import { replayPool } from './replay-pool.ts';

/** All the Macs of a run in one process with a fast clock: its task is its argument, as JSON. */
const task = JSON.parse(process.argv[2] ?? '') as PoolTask;
const tell = (message: PoolMessage) =>
  new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
process.on('disconnect', () => process.exit());
await tell({
  kind: 'measured',
  measured: await replayPool(task, (text) => void tell({ kind: 'progress', text })),
});
process.exit();
