import { readFile, writeFile } from 'node:fs/promises';
import { COLUMNS, comparison } from './comparison.ts';
import type { Measured } from './measured.ts';

const PAGE = new URL('../../docs/scheduling.md', import.meta.url);
const BEGIN = '<!-- written by npm run replay -->';
const END = '<!-- end of what npm run replay has written -->';

export interface Replay {
  readonly date: string;
  readonly machine: string;
  readonly postgres: string;
  readonly runs: readonly Measured[];
}

/** Writes the results between the marks in docs/scheduling.md, and leaves the rest of the page unchanged. */
export async function writePage(replay: Replay): Promise<void> {
  await writeFile(PAGE, withBlock(await readFile(PAGE, 'utf8'), block(replay)));
}

/** Replaces the text between the marks of a page. Throws if the marks are missing. */
export function withBlock(page: string, text: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/scheduling.md must contain the lines ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n\n${text}\n\n${END}${after}`;
}

function block({ date, machine, postgres, runs }: Replay): string {
  const [first] = runs;
  return `Measured by \`npm run replay\` on ${date}: ${machine}, Node ${process.versions.node}, Postgres ${postgres},
seed ${first?.seed ?? 1}.

${markdown([[...COLUMNS], ...comparison(runs)])}`;
}

function markdown([head = [], ...body]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}
