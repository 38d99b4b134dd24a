import type { Run } from './outcome.ts';
import { markdownTable } from './table.ts';

/** Formats a run as the page docs/benchmarks.md. */
export function page(run: Run): string {
  const dirs = [...new Set(run.outcomes.map(({ dir }) => dir))];
  const versions = Object.entries(run.versions).map(([name, version]) => `${name} ${version}`);
  return `# Benchmarks

Written by \`${run.command}\`; do not edit it by hand.

- Machine: ${run.machine}
- Date: ${run.date}
- Versions: ${versions.join(', ')}

Contestants run in turn within each round, on the same server with durable settings. Figures are medians of the
rounds, and ratios are medians of the ratios within a round. Only ratios can be compared with other machines. Below
"floor" is a regression; "goal" is the aim of the design. In lines with a peer, both are ratios. graphile is
graphile-worker with its fastest documented settings (24 concurrent jobs, local queue of 500, batches without delay), which
delete finished jobs. pg-boss is fetch and complete in batches.

${dirs.map((dir) => section(run, dir)).join('\n\n')}
`;
}

function section(run: Run, dir: string): string {
  const tables = run.outcomes
    .filter((outcome) => outcome.dir === dir)
    .map(({ row, title, lines }) => `### ${title} (\`--row ${row}\`)\n\n${markdownTable(lines)}`);
  return [`## Data folder in ${dir}`, ...tables].join('\n\n');
}
