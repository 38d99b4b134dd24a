import type { EntryReply, ReportEntry } from '@macbatch/contract';
import { expect, it } from 'vitest';
import { ReportDelivery } from './report-delivery.ts';

const MIB = 1024 * 1024;

/** Makes an entry with one outcome for each size. A size is the length of the output in bytes. */
const entryOf = (task_id: string, sizes: readonly number[]): ReportEntry => ({
  task_id,
  attempt: 1,
  outcomes: sizes.map((size, n) => ({ item_id: `${task_id}-${n}`, output: 'x'.repeat(size) })),
  final: true,
});

/** Delivers entries to a control plane that accepts everything. Returns the entries of each call. */
async function callsFor(...entries: readonly ReportEntry[]): Promise<readonly (readonly ReportEntry[])[]> {
  const calls: (readonly ReportEntry[])[] = [];
  const delivery = new ReportDelivery({
    log: () => undefined,
    send: async (sent) => {
      calls.push(sent);
      return sent.map(
        ({ task_id, attempt }): EntryReply => ({
          task_id,
          attempt,
          outcome: 'accepted',
          task_status: 'leased',
        }),
      );
    },
  });
  const replies = await delivery.deliver(entries, new AbortController().signal);
  expect(replies.size).toBe(new Set(entries.map(({ task_id }) => task_id)).size);
  return calls;
}

it('W6: divides a report that is too large for one call, and keeps every outcome', async () => {
  const calls = await callsFor(entryOf('7', [7 * MIB, 7 * MIB, 7 * MIB, 7 * MIB, 7 * MIB]));
  expect(calls.length).toBeGreaterThan(1);
  const outcomes = calls.flat().flatMap((entry) => entry.outcomes);
  expect(outcomes.map(({ item_id }) => item_id)).toEqual(['7-0', '7-1', '7-2', '7-3', '7-4']);
  // Only the last part is final, because only then has every item an outcome.
  expect(calls.flat().map(({ final }) => final)).toEqual([...calls.slice(1).map(() => false), true]);
  for (const call of calls) {
    const bytes = JSON.stringify(call).length;
    expect(bytes).toBeLessThan(17 * MIB);
  }
});

it('W6: sends a single outcome in one call, whatever its size', async () => {
  expect(await callsFor(entryOf('7', [20 * MIB]))).toHaveLength(1);
});

it('W6: sends small entries together', async () => {
  expect(await callsFor(entryOf('7', [10, 10]), entryOf('8', [10]))).toHaveLength(1);
});
