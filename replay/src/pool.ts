import type { PoolMessage, PoolTask } from './measured.ts';
import { replayPool } from './replay-pool.ts';

/** A program with a fast clock that simulates all Macs of a run. Its argument is a `PoolTask` as JSON. */
const task = JSON.parse(process.argv[2] ?? '') as PoolTask;
const send = (message: PoolMessage) =>
  new Promise<void>((resolve) => process.send?.(message, undefined, undefined, () => resolve()));
process.on('disconnect', () => process.exit());
await send({
  kind: 'measured',
  measured: await replayPool(task, (text) => void send({ kind: 'progress', text })),
});
process.exit();
