import { readFile } from 'node:fs/promises';
import { parseRecords, taskKey } from './record.ts';

/** Counts the outcomes in the outbox file at `path` that no control plane has acknowledged. Changes nothing. */
export async function countUnsent(path: string): Promise<number> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return 0;
    throw error;
  }
  const outcomes = new Map<string, number>();
  for (const { record } of parseRecords(bytes).records) {
    const key = taskKey(record);
    if (record.kind === 'settled') outcomes.delete(key);
    if (record.kind === 'outcome') outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
  }
  return [...outcomes.values()].reduce((sum, count) => sum + count, 0);
}
