import Table from 'cli-table3';
import { type Line, verdict } from './row.ts';

export const COLUMNS = ['what', 'measured', 'unit', 'against', 'ratio', 'floor', 'goal', 'reached'] as const;

/** Formats the cells of a line. */
function cells(line: Line): string[] {
  const sign = line.better === 'more' ? '≥' : '≤';
  const mark = (value: number | null) =>
    value === null ? '' : `${sign} ${value}${line.to === null ? '' : 'x'}`;
  return [
    line.what,
    line.value === null ? 'n/a' : rounded(line.value),
    line.unit,
    line.to ?? '',
    line.ratio === null ? '' : `${line.ratio.toFixed(2)}x`,
    mark(line.floor),
    mark(line.goal),
    verdict(line),
  ];
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}

/** Draws the lines as a table for a terminal. */
export function terminalTable(lines: readonly Line[]): string {
  const right = 'right' as const;
  const left = 'left' as const;
  const table = new Table({
    head: [...COLUMNS],
    colAligns: [left, right, left, left, right, right, right, left],
    style: { head: [], border: [] },
    chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
  });
  table.push(...lines.map(cells));
  return table.toString();
}

/** Formats the lines as a Markdown table with aligned columns. */
export function markdownTable(lines: readonly Line[]): string {
  const rows = [[...COLUMNS], ...lines.map(cells)];
  const widths = COLUMNS.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const text = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [text(head), text(widths.map((width) => '-'.repeat(width))), ...body.map(text)].join('\n');
}
