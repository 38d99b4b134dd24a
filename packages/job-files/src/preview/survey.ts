import { createHash } from 'node:crypto';
import type { JobHeader } from '@macbatch/contract';
import { keyTexts } from '@macbatch/core';
import type { JobInput } from '../input/job-input.ts';
import { payloadOf } from '../items/item-payload.ts';
import { type RepeatedId, repeatedIds } from './repeated-ids.ts';
import { SeenHashes } from './seen-hashes.ts';

/** Items that are shown. */
const EXAMPLES = 3;
/** Repeated ids that are named. */
const NAMED_REPEATS = 5;
const MAX_COLUMNS = 100;

/** What the input of a job holds. */
export interface Survey {
  readonly items: number;
  readonly payloadBytes: number;
  /** Names of columns in the order of their first appearance; at most 100. */
  readonly columns: readonly string[];
  readonly repeatedIds: readonly RepeatedId[];
  /** Items that equal an earlier one, and do not run. */
  readonly repeatedItems: number;
  /** Repeats were looked for among this many items only. Null: among all. */
  readonly comparedItems: number | null;
  /** Lines of the submission. */
  readonly examples: readonly { readonly id: string; readonly payload: string }[];
}

/**
 * Reads the input of a job and sends nothing. `onKey` gets the idempotency key of each different item. Memory does not
 * grow with the input: repeats are looked for among the first four million items.
 */
export async function surveyInput(
  header: JobHeader,
  input: JobInput,
  onKey: (key: string) => Promise<void> = async () => undefined,
): Promise<Survey> {
  const keyText = keyTexts({
    jobType: header.job_type,
    model: header.model,
    params: JSON.stringify(header.params ?? {}),
  });
  const ids = new SeenHashes();
  const payloads = new SeenHashes();
  const columns = new Set<string>();
  const repeats: string[] = [];
  const examples: { id: string; payload: string }[] = [];
  let items = 0;
  let payloadBytes = 0;
  let repeatedItems = 0;
  let comparedItems: number | null = null;
  for await (const { id, text, record } of input.items()) {
    items += 1;
    if (ids.isFull) comparedItems ??= items - 1;
    if (ids.add(id) && repeats.length < NAMED_REPEATS) repeats.push(id);
    if (!record.isRow || items === 1)
      for (const column of record.columns()) if (columns.size < MAX_COLUMNS) columns.add(column);
    const payload = payloadOf(text);
    payloadBytes += Buffer.byteLength(payload);
    if (examples.length < EXAMPLES) examples.push({ id, payload });
    const canonical = keyText(payload);
    if (canonical === null) continue;
    if (payloads.add(canonical)) repeatedItems += 1;
    else await onKey(createHash('sha256').update(canonical).digest('hex'));
  }
  return {
    items,
    payloadBytes,
    columns: [...columns],
    repeatedIds: await repeatedIds(repeats, input),
    repeatedItems,
    comparedItems,
    examples,
  };
}
