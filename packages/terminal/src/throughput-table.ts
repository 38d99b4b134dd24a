import type { Throughput } from '@macbatch/contract';
import { printable, rate } from '@macbatch/wording';
import { table } from './table.ts';

/** Draws a table with the sums of each series over the whole time. */
export function throughputTable({ from, to, series }: Throughput): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
  return table(
    ['', 'items ok', 'errors', 'items/s', 'tokens in', 'tokens out', 'leases expired'],
    series.map((each) => [
      printable(each.name ?? each.key ?? 'others'),
      sum(each.ok),
      sum(each.error),
      rate((sum(each.ok) + sum(each.error)) / seconds),
      sum(each.input_tokens),
      sum(each.output_tokens),
      sum(each.leases_expired),
    ]),
  );
}
