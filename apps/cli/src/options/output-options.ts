import { resolve } from 'node:path';
import {
  type JobInput,
  OUTPUT_FORMATS,
  type OutcomeOrder,
  type OutcomeTarget,
  type OutputForm,
  type OutputFormat,
  outputTarget,
} from '@macbatch/job-files';
import { EXIT, Failure, type Terminal } from '@macbatch/terminal';
import { type Command, Option } from 'commander';

/** The options that say how outcomes are written. */
export interface OutputFlags {
  readonly output?: string;
  readonly outputFormat?: OutputFormat;
  readonly only?: 'ok' | 'error';
  readonly flatten?: boolean;
  readonly excel?: boolean;
  readonly order?: OutcomeOrder;
}

/** Adds the options that say how outcomes are written. `output` describes the default of --output. */
export function withOutputOptions(command: Command, output: string): Command {
  return command
    .option('-o, --output <file>', `outcome file; - is standard output (default: ${output})`)
    .addOption(
      new Option(
        '--output-format <format>',
        'format of the outcomes (default: by file name, else jsonl)',
      ).choices(OUTPUT_FORMATS),
    )
    .addOption(new Option('--only <status>', 'only outcomes of this status').choices(['ok', 'error']))
    .option('--flatten', 'spread outputs that are objects over columns such as output.label')
    .option(
      '--excel',
      'CSV for spreadsheets: byte order mark, Windows line ends, no cell that runs as a formula',
    )
    .addOption(
      new Option('--order <order>', 'order of the outcomes (default: input)').choices([
        'input',
        'completion',
      ]),
    );
}

/** Where and how outcomes are written. */
export interface Output {
  readonly target: OutcomeTarget;
  readonly form: OutputForm;
}

/** Checks the options of the output. Throws a `Failure` that names a wrong one. */
export async function openOutput(
  path: string,
  flags: OutputFlags,
  { inputs, join }: { readonly inputs: readonly JobInput[]; readonly join: JobInput | null },
  terminal: Terminal,
): Promise<Output> {
  const format = flags.outputFormat ?? formatOf(path);
  if (flags.excel === true && format !== 'csv')
    throw new Failure(EXIT.usage, '--excel is for CSV: -o NAME.csv, or --output-format csv');
  const order = flags.order ?? 'input';
  if (join !== null && order === 'completion')
    throw new Failure(EXIT.usage, '--join needs the order of the input: leave out --order completion');
  const form = {
    format,
    join,
    only: flags.only ?? null,
    flatten: flags.flatten === true,
    excel: flags.excel === true,
    order,
  };
  if (path === '-') return { form, target: { kind: 'stream', stream: terminal.stdout } };
  const files = inputs.flatMap((input) => input.files.map((file) => file.path));
  return { form, target: await outputTarget(resolve(terminal.cwd, path), files) };
}

function formatOf(path: string): OutputFormat {
  const name = path.toLowerCase();
  if (name.endsWith('.gz') || name.endsWith('.xlsx'))
    throw new Failure(
      EXIT.usage,
      `--output: ${path} would be neither compressed nor a workbook. Name a .csv, .tsv or .jsonl file, or pipe: -o - | gzip`,
    );
  if (name.endsWith('.csv')) return 'csv';
  return name.endsWith('.tsv') ? 'tsv' : 'jsonl';
}
