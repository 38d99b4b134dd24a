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
