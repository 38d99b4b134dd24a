import type { ModelLine, ModelsListing, ServerLines } from './list-models.ts';

/** Longest line about a trouble. */
const MAX_TROUBLE_LENGTH = 160;

/** Shows a listing to people. */
export function modelsText(listing: ModelsListing): string {
  const lines = listing.servers.flatMap((server) => [...serverText(server), '']);
  if (lines.length === 0) lines.push(EMPTY[listing.source], '');
  return `${lines.slice(0, -1).map(printable).join('\n')}\n`;
}

const EMPTY: Readonly<Record<ModelsListing['source'], string>> = {
  discovered: 'No model server was found on this machine. Start one, or name it with --endpoint.',
  configured: 'No model server is configured.',
  off: 'The worker does not look for model servers (discover = false), and none is configured.',
};

function serverText({ url, server, problem, models }: ServerLines): readonly string[] {
  const title = server === null ? url : `${server}  ${url}`;
  if (models.length === 0)
    return [`${title}: ${problem ?? (server === null ? 'no models' : `no models for jobs`)}`];
  const rows = [
    ['MODEL', 'JOBS NAME IT', 'JOB TYPES', 'LOADED', 'CONTEXT', 'CONCURRENCY'],
    ...models.map(rowOf),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return [
    problem === null ? title : `${title}: ${problem}`,
    ...rows.flatMap((row, index) => [
      `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
      ...troubleLines(models[index - 1]),
    ]),
  ];
}

/** Names the job types only if the others work. Raw requests work where their job types do. */
function troubleLines(model: ModelLine | undefined): readonly string[] {
  return (model?.troubles ?? []).map(({ code, message, job_types: types }) => {
    const isWhole = model?.job_types.every((type) => types.includes(type)) === true;
    const some = types.filter((type) => !type.startsWith('request:'));
    const what = isWhole || some.length === 0 ? '' : ` ${some.join(', ')}`;
    return `    cannot run now${what}: ${code}: ${message}`.slice(0, MAX_TROUBLE_LENGTH);
  });
}

function rowOf({
  model,
  names,
  job_types: types,
  loaded,
  context_length: context,
  concurrency,
}: ModelLine): string[] {
  return [
    model,
    names.join(', '),
    types.join(', '),
    loaded === null ? '' : loaded ? 'yes' : 'no',
    context === null ? '' : String(context),
    concurrency === null ? '' : String(concurrency),
  ];
}

/** Names and messages come from a server: a terminal must not interpret them. */
function printable(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ');
}
