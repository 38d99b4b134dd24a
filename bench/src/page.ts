import type { Run } from './outcome.ts';
import { markdownTable } from './table.ts';

/** docs/benchmarks.md: a run as a page. */
export function page(run: Run): string {
  const dirs = [...new Set(run.outcomes.map(({ dir }) => dir))];
  const versions = Object.entries(run.versions).map(([name, version]) => `${name} ${version}`);
  return `# Benchmarks

Written by \`${run.command}\`; do not edit it by hand.

- Machine: ${run.machine}
- Date: ${run.date}
- Versions: ${versions.join(', ')}

Contestants ran in turn within each round, on the same server with durable settings; figures are medians of the
rounds, ratios medians of the ratios within a round. Only ratios say something on another machine. "floor" is
where a regression begins, "goal" is what the design aims for; where a line is against a peer they are ratios.
graphile is graphile-worker by its fastest documented setting (24 at once, local queue of 500, batches without
delay), which deletes finished jobs; pg-boss is fetch and complete in batches.

${dirs.map((dir) => section(run, dir)).join('\n\n')}
`;
}

function section(run: Run, dir: string): string {
  const tables = run.outcomes
    .filter((outcome) => outcome.dir === dir)
    .map(({ row, title, lines }) => `### ${title} (\`--row ${row}\`)\n\n${markdownTable(lines)}`);
  return [`## Data folder in ${dir}`, ...tables].join('\n\n');
}
