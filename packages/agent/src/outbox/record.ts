import { LeaseName, Outcome } from '@macbatch/contract';
import { z } from 'zod';

const lease = { deployment: z.string().min(1), ...LeaseName.shape };

/**
 * One line of an outbox. `deployment` is the id of the control plane's database: records mean nothing to another
 * one. `settled`: everything of the lease is acknowledged.
 */
export const OutboxRecord = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('leased'), ...lease, items: z.int().min(0), copy: z.boolean().optional() }),
  z.object({ kind: z.literal('outcome'), ...lease, outcome: Outcome }),
  z.object({ kind: z.literal('settled'), ...lease }),
]);
export type OutboxRecord = z.infer<typeof OutboxRecord>;

/** One text for each lease of each deployment. */
export function taskKey(record: {
  readonly deployment: string;
  readonly task_id: string;
  readonly attempt: number;
}): string {
  return `${record.deployment}/${record.task_id}/${record.attempt}`;
}

export interface ParsedRecords {
  readonly records: readonly { readonly record: OutboxRecord; readonly line: string }[];
  /** Length up to the end of the last whole line. */
  readonly goodBytes: number;
  /** Number of unreadable lines. */
  readonly dropped: number;
}

/** Parses the lines of an outbox. Leaves out and counts lines that were cut off or are no records. */
export function parseRecords(bytes: Buffer): ParsedRecords {
  const goodBytes = bytes.lastIndexOf(0x0a) + 1;
  let dropped = goodBytes < bytes.length ? 1 : 0;
  const records = bytes
    .subarray(0, goodBytes)
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((text) => {
      const record = parseRecord(text);
      if (record === null) {
        dropped += 1;
        return [];
      }
      return [{ record, line: `${text}\n` }];
    });
  return { records, goodBytes, dropped };
}

function parseRecord(text: string): OutboxRecord | null {
  try {
    return OutboxRecord.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
