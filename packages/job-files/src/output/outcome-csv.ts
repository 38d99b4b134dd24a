import type { JobType } from '@macbatch/core';
import { readOutcome } from './outcome.ts';
import { tableEncoder } from './table-encoder.ts';

/** Converts lines of results to CSV with the columns of `results -o NAME.csv`, beginning with the header. */
export async function* outcomeCsv(
  lines: AsyncIterable<string>,
  jobType: JobType,
): AsyncGenerator<string, void, undefined> {
  const { head, encode } = tableEncoder({
    delimiter: ',',
    excel: false,
    jobType,
    inputColumns: null,
    addsId: true,
    outputColumns: null,
  });
  yield head;
  for await (const line of lines) yield encode([{ outcome: readOutcome(line), record: null }]);
}
