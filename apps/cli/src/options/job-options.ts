import { JOB_TYPES, RETRY_POLICIES } from '@macbatch/core';
import { type Command, Option } from 'commander';

export interface JobOptions {
  readonly type?: string;
  readonly model?: string;
  readonly params?: string;
  readonly shardSize?: string;
  readonly retryOn?: string;
  readonly priority?: string;
  readonly fresh?: boolean;
}

/** Adds what describes a job. */
export function withJobOptions(command: Command): Command {
  return command
    .addOption(new Option('--type <type>', 'what is asked of the model').choices(JOB_TYPES))
    .option('--model <alias>', 'alias of the model (use-lite runs in the worker itself)')
    .option('--params <json>', 'what every item is run with, as in \'{"labels":["spam","ham"]}\'')
    .option('--shard-size <items>', 'items per task (default: 10)')
    .addOption(
      new Option('--retry-on <policy>', 'what burns the three attempts of a task').choices(RETRY_POLICIES),
    )
    .option('--priority <n>', 'from -100 to 100: higher is served first (default: 0)')
    .option(
      '--fresh',
      'run everything: neither the job of an earlier submission nor outcomes of equal items are taken',
    );
}
