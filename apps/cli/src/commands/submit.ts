import { randomUUID } from 'node:crypto';
import { contentKey, itemLines, jobHeader, openInput, submitDraft } from '@macbatch/job-files';
import {
  counted,
  EXIT,
  Failure,
  printJson,
  printLine,
  smallerTasksText,
  type Terminal,
} from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../options/connection.ts';
import { type JobOptions, withJobOptions } from '../options/job-options.ts';

/** Adds the command `submit`. */
export function addSubmit(program: Command, terminal: Terminal): void {
  withConnection(withJobOptions(program.command('submit <file>').description('submit a JSONL file as a job')))
    .addHelpText(
      'after',
      '\nEach line is {"id": …, "payload": …}, or any other JSON value, which becomes the payload. - is standard input.',
    )
    .action(async (file: string, options: JobOptions & ConnectionOptions) => {
      if (options.type === undefined) throw new Failure(EXIT.usage, '--type is missing');
      if (options.model === undefined) throw new Failure(EXIT.usage, '--model is missing');
      const header = jobHeader({
        type: options.type,
        model: options.model,
        params: options.params,
        shardSize: options.shardSize,
        retryOn: options.retryOn,
        priority: options.priority,
        fresh: options.fresh,
      });
      await using input = await openInput(file, terminal);
      const draft = { header, lines: () => itemLines(input.path) };
      const contentHash = await contentKey(draft);
      const key = options.fresh === true ? `fresh-${randomUUID()}` : contentHash;
      const { job, created } = await submitDraft(
        connect(options, terminal),
        draft,
        key,
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
