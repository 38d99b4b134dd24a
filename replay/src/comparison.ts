import Table from 'cli-table3';
import { findings } from './findings.ts';
import { type Measured, ratioOf, requestsPerItem, wasteOf } from './measured.ts';
import { type Figures, SIMULATED } from './simulated.ts';
import { MOST_LOADS, MOST_REQUESTS_PER_ITEM, SLOWEST_SMALL_JOB, TARGETS } from './targets.ts';

/** The cells of a run: measured, simulated and target values. */
export type ComparisonRow = readonly string[];

export const COLUMNS = [
  'scenario',
  'rules',
  'ratio',
  'simulated',
  'target',
  'waste %',
  'simulated',
  'target',
  'good items failed',
  'requests/item',
  'simulated',
  'reached',
  'also',
] as const;

/** Compares runs with their simulations and targets. */
export function comparison(runs: readonly Measured[]): ComparisonRow[] {
  return runs.map(row);
}

function row(run: Measured): ComparisonRow {
  const simulated = run.scenario === 'smoke' ? null : SIMULATED[run.scenario][run.rules];
  const target = run.rules === 'base' || run.scenario === 'smoke' ? null : TARGETS[run.scenario];
  return [
    run.scenario,
    run.rules,
    run.cutOff ? `cut off at ${ratioOf(run).toFixed(1)}` : ratioOf(run).toFixed(3),
    simulated === null ? '' : simulatedRatio(simulated, run.seed),
    target === null ? '' : `≤ ${target.ratio}`,
    wasteOf(run).toFixed(2).replace('-0.00', '0.00'),
    simulated === null ? '' : simulated.waste.toFixed(2),
    target === null ? '' : `≤ ${target.waste}`,
    String(run.goodItemsFailed),
    requestsPerItem(run).toFixed(3),
    simulated === null ? '' : simulated.requestsPerItem.toFixed(3),
    target === null ? '' : reached(run, target),
    findings(run).join('; '),
  ];
}

function simulatedRatio({ ratio, ofSeed1 }: Figures, seed: number): string {
  return seed === 1 ? `${ratio.toFixed(3)} (this seed ${ofSeed1.toFixed(3)})` : ratio.toFixed(3);
}

function reached(run: Measured, target: { readonly ratio: number; readonly waste: number }): string {
  const missed = [
    ratioOf(run) > target.ratio || run.cutOff ? 'ratio' : null,
    wasteOf(run) > target.waste ? 'waste' : null,
    run.goodItemsFailed > 0 ? 'items' : null,
    requestsPerItem(run) > mostRequests(run) ? 'requests' : null,
    run.scenario === 'twomodels' && run.loads.length > MOST_LOADS ? 'loads' : null,
    run.scenario === 'twojobs' && smallJobSlowdown(run) > SLOWEST_SMALL_JOB ? 'small job' : null,
  ].filter((each) => each !== null);
  return missed.length === 0 ? 'yes' : `MISSED: ${missed.join(', ')}`;
}

/** Returns the time of the second job divided by its time alone. */
function smallJobSlowdown({ jobs: [, small] }: Measured): number {
  return small === undefined ? 0 : small.seconds / small.alone;
}

/** Short jobs need more requests per item: for them the simulated value is above the goal. */
function mostRequests({ scenario }: Measured): number {
  const simulated = scenario === 'smoke' ? 0 : SIMULATED[scenario].product.requestsPerItem;
  return Math.max(MOST_REQUESTS_PER_ITEM, 1.25 * simulated);
}

/** Draws the comparison as a table for a terminal. */
export function terminalComparison(rows: readonly ComparisonRow[]): string {
  const table = new Table({
    head: [...COLUMNS],
    style: { head: [], border: [] },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  });
  table.push(...rows.map((each) => [...each]));
  return table.toString();
}
