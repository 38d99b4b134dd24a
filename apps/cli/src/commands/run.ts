import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { JobView } from '@macbatch/contract';
import { paramProblem } from '@macbatch/core';
import {
  contentKey,
  type Draft,
  exampleBatch,
  formatsText,
  type JobInput,
  jobHeader,
  type OutcomeTarget,
} from '@macbatch/job-files';
import { isEmbeddedModelInstalled, startLocalPool } from '@macbatch/local-pool';
import {
  counted,
  EXIT,
  endText,
  Failure,
  paintFor,
  printJson,
  printLine,
  summaryJson,
  type Terminal,
} from '@macbatch/terminal';
import type { Command } from 'commander';
import {
  discoversServers,
  type EndpointOptions,
  hasEndpoint,
  withEndpoint,
  withEndpointOptions,
} from '../options/endpoint-options.ts';
import { INPUT_HELP, type InputFlags, withInputOptions } from '../options/input-options.ts';
import { EMBEDDED_MODEL, openFileJob } from '../options/job-draft.ts';
import { type JobOptions, withJobOptions } from '../options/job-options.ts';
import { withModelServer } from '../options/model-server.ts';
import { type OutputFlags, openOutput, withOutputOptions } from '../options/output-options.ts';
import { ownCommand } from '../options/own-command.ts';
import { type PreviewFlags, triedCount, withPreviewOptions } from '../options/preview-options.ts';
import { addCommand } from './command-names.ts';
import { dryRunLocally } from './dry-run-locally.ts';
import { exitCodeOf } from './job.ts';
import { type EndedRun, runOnPool } from './run-on-pool.ts';
import { dataDirOf } from './up.ts';

interface RunOptions extends JobOptions, InputFlags, OutputFlags, PreviewFlags, EndpointOptions {
  readonly join?: boolean;
  readonly workers?: string;
  readonly dataDir?: string;
  readonly retry?: boolean;
  readonly json?: boolean;
}

/** Adds the command `run`. */
export function addRun(program: Command, terminal: Terminal): void {
  const command = addCommand(program, 'run');
  withEndpointOptions(
    withPreviewOptions(withOutputOptions(withInputOptions(withJobOptions(command)), 'beside the input')),
  )
    .option('--join', 'write the columns of the input before those of the outcome')
    .option('--workers <n>', 'number of worker processes (default: 1 with a model server, otherwise 2)')
    .option('--retry', 'run the items again that failed in an earlier run of this file')
    .option(
      '--data-dir <dir>',
      'folder of the database and the logs (default: $MACBATCH_DATA_DIR or .macbatch)',
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `${INPUT_HELP}\n\nRun the same files again to continue a run that stopped. By default only errors count as attempts here, not lost\nleases; --retry-on attempts counts both.`,
    )
    .action(async (files: readonly string[], options: RunOptions) => {
      const given = files.length === 0 ? null : await openFileJob(files, fileOptions(options), terminal);
      await using input = given?.input ?? null;
      const output = options.output ?? defaultOutput(input);
      if (options.join === true && input === null) throw new Failure(EXIT.usage, '--join needs a file');
      const { target, form } = await openOutput(
        output,
        options,
        { inputs: input === null ? [] : [input], join: options.join === true ? input : null },
        terminal,
      );
      const draft = given?.draft ?? exampleDraft(options);
      const tried = triedCount(options);
      if (given === null && (tried !== null || options.dryRun === true))
        throw new Failure(EXIT.usage, `${options.dryRun === true ? '--dry-run' : '--try'} needs a file`);
      if (input !== null) printLine(terminal.stderr, formatsText(input.files));
      const dataDir = dataDirOf(options.dataDir, terminal);
      if (given !== null && options.dryRun === true) {
        await dryRunLocally(given, dataDir, options.json === true, terminal);
        return;
      }
      const contentHash = await contentKey(draft);
      const key = {
        contentHash,
        idempotencyKey: options.fresh === true ? `fresh-${randomUUID()}` : contentHash,
      };
      const env = await withModelServer(
        draft.header,
        withEndpoint(terminal, options, draft.header.model),
        terminal,
      );
      requireValidParams(draft.header);
      if (draft.header.model === EMBEDDED_MODEL && !hasEndpoint(env) && !isEmbeddedModelInstalled())
        throw new Failure(
          EXIT.usage,
          'The embedded model use-lite is not installed. Install it: npm install -g macbatch --include=optional',
        );
      const workers = Number(options.workers ?? defaultWorkers(env));
      if (!Number.isInteger(workers) || workers < 1 || workers > 64)
        throw new Failure(EXIT.usage, '--workers must be a number from 1 to 64');

      printLine(terminal.stderr, `starting Postgres, a control plane and ${counted(workers, 'worker')}`);
      const pool = await startLocalPool({
        dataDir,
        env,
        port: 0,
        workers,
      });
      printLine(terminal.stderr, `Watch it on the web page ${pool.url}`);
      let ended: EndedRun | null;
      let submitted = false;
      const onSubmitted = () => {
        submitted = true;
      };
      try {
        const trial =
          given === null || tried === null ? null : { job: given, count: tried, yes: options.yes === true };
        const output = { target, form };
        ended = await runOnPool(
          pool,
          { draft, key, output, retry: options.retry === true, trial, onSubmitted },
          terminal,
        );
      } finally {
        if (terminal.interrupted.aborted)
          printLine(terminal.stderr, submitted ? stopText(target, output) : 'stopping');
        await pool.stop(terminal.forceQuit);
      }
      if (ended === null) return;
      const { job } = ended;
      if (options.json === true)
        printJson(output === '-' ? terminal.stderr : terminal.stdout, summaryJson(job, output));
      else {
        printLine(terminal.stderr);
        const out = output === '-' ? terminal.stderr : terminal.stdout;
        const outcomes = output === '-' ? undefined : output;
        const end = { ...ended, outcomes, next: nextCommand(job, output, program.args, terminal) };
        printLine(out, endText(job, end, paintFor(out, terminal.env)));
      }
      if (exitCodeOf(job) !== EXIT.ok) throw new Failure(exitCodeOf(job), hint(job));
    });
}

/** Returns a path next to the input, or in the current folder if the input is a pipe or several files. */
function defaultOutput(input: JobInput | null): string {
  const [file, ...others] = input?.files ?? [];
  return file === undefined || file.copied || others.length > 0
    ? 'outcomes.jsonl'
    : `${file.name}.outcomes.jsonl`;
}

/** One worker per model server: a worker adapts the number of concurrent requests, and a second one would disturb that. */
function defaultWorkers(env: Readonly<Record<string, string | undefined>>): number {
  return hasEndpoint(env) || discoversServers(env) ? 1 : 2;
}

/** Throws a `Failure` that names a param which the control plane would refuse. */
function requireValidParams({ job_type: type, params = {} }: Draft['header']): void {
  const found = paramProblem(type, params);
  if (found !== null) throw new Failure(EXIT.usage, `--params: ${found.path}: ${found.problem}`);
}

function stopText(target: OutcomeTarget, output: string): string {
  const hasDraft = target.kind === 'file' && existsSync(target.draft);
  return `stopping; run the same command again to continue${hasDraft ? `. Outcomes so far: ${output}.part` : ''}`;
}

/** Adds the default of `run`: only errors count as attempts. */
function fileOptions(options: RunOptions): RunOptions {
  return { ...options, retryOn: options.retryOn ?? 'errors' };
}

function exampleDraft(options: RunOptions): Draft {
  if (
    [options.type, options.model, options.params, options.prompt, options.text].some(
      (each) => each !== undefined,
    )
  ) {
    throw new Failure(EXIT.usage, 'Name a file: the example batch has its own type, model and parameters.');
  }
  const { header, ...batch } = exampleBatch();
  return {
    ...batch,
    header: jobHeader({
      type: header.job_type,
      model: header.model,
      params: JSON.stringify(header.params),
      shardSize: options.shardSize,
      retryOn: options.retryOn ?? header.retry_on,
      priority: options.priority,
      fresh: options.fresh,
      name: options.name ?? 'example batch',
    }),
  };
}

/** Returns the command that runs failed items again, or the one that shows the first outcomes. */
function nextCommand(job: JobView, output: string, args: readonly string[], { env }: Terminal): string {
  if (exitCodeOf(job) === EXIT.ok)
    return output === '-' ? 'nothing, all items are ok' : `head -n 3 ${output}`;
  const again = args.filter((arg) => arg !== '--retry' && arg !== '--fresh');
  return ownCommand(env, job.state === 'cancelled' ? [...again, '--fresh'] : [...again, '--retry']);
}

function hint(job: JobView): string {
  if (job.state === 'cancelled') return 'The job was cancelled; --fresh creates a new one.';
  const bad = job.items.error + job.items.failed;
  return `${bad} of ${job.items.total} items failed; the outcome file says why. --retry runs them again.`;
}
