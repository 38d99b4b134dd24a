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
  readonly name?: string;
}

/** Adds the options that describe a job. */
export function withJobOptions(command: Command): Command {
  return command
    .addOption(new Option('--type <type>', 'what the model does with each item').choices(JOB_TYPES))
    .option('--model <alias>', 'alias of the model (use-lite runs in the worker itself)')
    .option('--params <json>', 'parameters for all items, such as \'{"labels":["spam","ham"]}\'')
    .option('--shard-size <items>', 'items per task (default: 10)')
    .addOption(
      new Option('--retry-on <policy>', 'what counts against the three attempts of a task').choices(
        RETRY_POLICIES,
      ),
    )
    .option('--priority <n>', 'from -100 to 100: higher runs first (default: 0)')
    .option('--name <name>', 'name of the job in lists (default: the name of the file)')
    .option(
      '--fresh',
      'run every item: reuse neither the job of an earlier submission nor outcomes of equal items',
    );
}
