import { ApiError } from '@macbatch/client';
import type { EntryReply, ReportEntry } from '@macbatch/contract';
import { describe, expect, it } from 'vitest';
import { ReportDelivery } from './report-delivery.ts';

const never = new AbortController().signal;

function apiError(status: number, code: string): ApiError {
  return new ApiError({ type: 'about:blank', title: 't', status, detail: 'it broke', code });
}

const entry = (...outputs: readonly string[]): ReportEntry => ({
  task_id: '1',
  attempt: 1,
  outcomes: outputs.map((output, n) => ({ item_id: `item-${n}`, output })),
  final: true,
});

/** Delivers an entry until a delivery resolves. `answer` fails a call by returning an error. */
async function delivered(report: ReportEntry, answer: (entry: ReportEntry, call: number) => ApiError | null) {
  const accepted: ReportEntry[] = [];
  let calls = 0;
  const delivery = new ReportDelivery({
    log: () => undefined,
    async send(entries) {
      return entries.map((each): EntryReply => {
        calls += 1;
        const error = answer(each, calls);
        if (error !== null) throw error;
        accepted.push(each);
        return { task_id: each.task_id, attempt: each.attempt, outcome: 'accepted', task_status: 'leased' };
      });
    },
  });
  for (let tries = 0; tries < 50; tries += 1) {
    const replies = await delivery.deliver([report], never).catch(() => null);
    if (replies !== null) break;
  }
  const outcomes = accepted.flatMap((each) => each.outcomes);
  return outcomes.map((outcome) => ('output' in outcome ? outcome.output : outcome.error.code));
}

describe('W6: an internal error of the control plane', () => {
  const broken = apiError(500, 'internal');

  it.each(Array.from({ length: 16 }, (_, n) => n))(
    'loses no outcome when it ends after %s calls',
    async (n) => {
      expect(await delivered(entry('1'), (_entry, call) => (call <= n ? broken : null))).toEqual(['1']);
    },
  );

  it('is blamed on the one outcome that it always meets', async () => {
    const isBad = ({ outcomes }: ReportEntry) =>
      outcomes.some((each) => 'output' in each && each.output === '2');
    expect(await delivered(entry('1', '2', '3'), (each) => (isBad(each) ? broken : null))).toEqual(
      expect.arrayContaining(['1', 'outcome_not_recorded', '3']),
    );
  });
});

it('W6: keeps an outcome while a proxy answers instead of the control plane', async () => {
  const foreign = apiError(404, 'foreign_reply');
  expect(await delivered(entry('1'), (_entry, call) => (call <= 20 ? foreign : null))).toEqual(['1']);
});

it('A3: replaces an outcome that is too large for a proxy', async () => {
  const tooLarge = apiError(413, 'foreign_reply');
  const isLarge = ({ outcomes }: ReportEntry) =>
    outcomes.some((each) => 'output' in each && each.output.length > 5);
  expect(await delivered(entry('1', '1234567'), (each) => (isLarge(each) ? tooLarge : null))).toEqual([
    '1',
    'output_too_large',
  ]);
});
