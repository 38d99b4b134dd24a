import Table from 'cli-table3';

/** Draws a table without borders. `head` names the columns, with their units. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const numeric = head.map(
    (_, column) =>
      rows.length > 0 && rows.every((row) => typeof row[column] === 'number' || row[column] === '–'),
  );
  const drawing = new Table({
    head: [...head],
    colAligns: numeric.map((isNumber) => (isNumber ? 'right' : 'left')),
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '  ',
    },
  });
  drawing.push(
    ...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell))),
  );
  return drawing.toString().replaceAll(/ +$/gm, '');
}

/** Formats a duration in the unit that is easiest to read. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Formats items per second with two or three significant digits. */
export function rate(perSecond: number): string {
  if (!Number.isFinite(perSecond)) return '–';
  return perSecond < 10
    ? perSecond.toFixed(2)
    : perSecond < 100
      ? perSecond.toFixed(1)
      : Math.round(perSecond).toLocaleString('en');
}
