import { randomUUID } from 'node:crypto';
import { contentKey, formatsText, submitDraft } from '@macbatch/job-files';
import { counted, printJson, printLine, smallerTasksText, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { INPUT_HELP, type InputFlags, withInputOptions } from '../options/input-options.ts';
import { openFileJob } from '../options/job-draft.ts';
import { type JobOptions, withJobOptions } from '../options/job-options.ts';
import { addCommand } from './command-names.ts';

/** Adds the command `submit`. */
export function addSubmit(program: Command, terminal: Terminal): void {
  const command = addCommand(program, 'submit');
  withConnection(withInputOptions(withJobOptions(command)))
    .addHelpText('after', INPUT_HELP)
    .action(async (files: readonly string[], options: JobOptions & InputFlags & ConnectionOptions) => {
      const { draft, input } = await openFileJob(files, options, terminal);
      await using _opened = input;
      printLine(terminal.stderr, formatsText(input.files));
      const contentHash = await contentKey(draft);
      const idempotencyKey = options.fresh === true ? `fresh-${randomUUID()}` : contentHash;
      const { job, created } = await submitDraft(
        connect(options, terminal),
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
