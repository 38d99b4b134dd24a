import { type JobInput, openJobInput, writeOutcomes } from '@macbatch/job-files';
import {
  EXIT,
  Failure,
  mixedBuildsText,
  printJson,
  printLine,
  type Terminal,
  watchJob,
} from '@macbatch/terminal';
import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { repeated } from '../options/endpoint-options.ts';
import { formatOption, type InputFlags, inputOptions } from '../options/input-options.ts';
import { completeJobId } from '../options/job-id.ts';
import { type OutputFlags, openOutput, withOutputOptions } from '../options/output-options.ts';
import { addCommand } from './command-names.ts';

interface ResultsOptions extends ConnectionOptions, OutputFlags, Pick<InputFlags, 'format' | 'id'> {
  readonly item?: string;
  readonly status?: 'ok' | 'error';
  readonly join?: readonly string[];
  readonly follow?: boolean;
}

/** Adds the command `results`. */
export function addResults(program: Command, terminal: Terminal): void {
  const command = addCommand(program, 'results');
  withConnection(withOutputOptions(command, 'standard output'))
    .option('--item <item-id>', 'only the outcome of this item')
    .addOption(
      new Option('--status <status>', 'the same as --only').choices(['ok', 'error']).conflicts('only'),
    )
    .option('--follow', 'write outcomes as they arrive, until the job has ended')
    .option(
      '--join <file>',
      "write the columns of the job's input file before those of the outcome (repeatable)",
      repeated,
    )
    .addOption(formatOption('format of the files of --join, if the job was submitted with it'))
    .option('--id <column>', 'column with the ids, if the job was submitted with it')
    .action(async (part: string, options: ResultsOptions) => {
      const client = connect(options, terminal);
      const path = options.output ?? '-';
      await using join = await openJoined(options, terminal);
      const only = options.only ?? options.status;
      const flags = { ...options, ...(only === undefined ? {} : { only }) };
      const output = await openOutput(path, flags, { inputs: join === null ? [] : [join], join }, terminal);
      const id = await completeJobId(client, part);
      const follow = options.follow === true;
      const writing = writeOutcomes(
        client,
        { ...output, jobId: id, itemId: options.item, follow },
        terminal.interrupted,
      );
      // A progress display between the outcomes would be in the way.
      const watched = follow && output.target.kind !== 'stream';
      const [written] = await Promise.all([
        writing,
        watched ? watchJob(client, id, terminal, terminal.interrupted) : null,
      ]);
      if (options.item !== undefined && written.ok + written.error === 0) {
        const message = `The job has no outcome of the item ${options.item}. It may not have run yet, or not exist.`;
        throw new Failure(EXIT.incomplete, message);
      }
      if (options.item === undefined && !watched) {
        // The outcomes are written: without an answer, only the warning is missing.
        const job = await client.call('readJob', { params: { id } }).catch(() => null);
        const mixed = job === null ? null : mixedBuildsText(job);
        if (mixed !== null) printLine(terminal.stderr, `warning: ${mixed}`);
      }
      if (output.target.kind === 'stream') return;
      if (options.json === true)
        printJson(terminal.stdout, { ok: written.ok, error: written.error, outcomes: path });
      else printLine(terminal.stderr, `${written.ok} ok and ${written.error} failed outcomes in ${path}`);
    });
}

/** Opens the input files of a job. Only the ids of their items matter here, so their payloads are those of no-ops. */
async function openJoined(options: ResultsOptions, terminal: Terminal): Promise<JobInput | null> {
  const { join, format, id } = options;
  if (join === undefined) {
    if (format !== undefined || id !== undefined)
      throw new Failure(EXIT.usage, `${format === undefined ? '--id' : '--format'} needs --join`);
    return null;
  }
  const flags = { ...(format === undefined ? {} : { format }), ...(id === undefined ? {} : { id }) };
  return await openJobInput(join, inputOptions(flags, 'noop', terminal), terminal);
}
