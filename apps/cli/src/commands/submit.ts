import { randomUUID } from 'node:crypto';
import { contentKey, formatsText, submitDraft } from '@macbatch/job-files';
import { counted, printJson, printLine, smallerTasksText, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { INPUT_HELP, type InputFlags, withInputOptions } from '../options/input-options.ts';
import { openFileJob } from '../options/job-draft.ts';
import { type JobOptions, withJobOptions } from '../options/job-options.ts';
import { type PreviewFlags, triedCount, withPreviewOptions } from '../options/preview-options.ts';
import { addCommand } from './command-names.ts';
import { dryRun, tryFirst } from './preview.ts';

interface SubmitOptions extends JobOptions, InputFlags, PreviewFlags, ConnectionOptions {}

/** Adds the command `submit`. */
export function addSubmit(program: Command, terminal: Terminal): void {
  const command = addCommand(program, 'submit');
  withConnection(withPreviewOptions(withInputOptions(withJobOptions(command))))
    .addHelpText('after', INPUT_HELP)
    .action(async (files: readonly string[], options: SubmitOptions) => {
      const tried = triedCount(options);
      const given = await openFileJob(files, options, terminal);
      const { draft } = given;
      await using input = given.input;
      printLine(terminal.stderr, formatsText(input.files));
      const client = connect(options, terminal);
      if (options.dryRun === true) return await dryRun(given, client, options.json === true, terminal);
      const contentHash = await contentKey(draft);
      const idempotencyKey = options.fresh === true ? `fresh-${randomUUID()}` : contentHash;
      if (tried !== null) {
        const trial = { count: tried, yes: options.yes === true };
        if (!(await tryFirst(given, client, trial, terminal, terminal.interrupted))) return;
      }
      const { job, created } = await submitDraft(
        client,
        draft,
        { contentHash, idempotencyKey },
        terminal.interrupted,
      );
      if (options.json === true) printJson(terminal.stdout, { ...job, created });
      else {
        printLine(terminal.stdout, job.id);
        printLine(
          terminal.stderr,
          created
            ? `${counted(job.items.total, 'item')} in ${counted(job.tasks.total, 'task')}`
            : 'the same file was submitted before, so no new job was created',
        );
        if (job.waiting_for !== null) printLine(terminal.stderr, `the job waits for ${job.waiting_for}`);
        const smaller = smallerTasksText(job);
        if (created && smaller !== '') printLine(terminal.stderr, smaller);
      }
    });
}
