import type { Command } from 'commander';

/** A command in the list of `macbatch --help`. */
interface Summary {
  /** The name with its arguments. */
  readonly synopsis: string;
  readonly description: string;
}

export const COMMANDS = {
  run: {
    synopsis: 'run [files...]',
    description:
      'run files, or the example batch, on this machine: start Postgres, a control plane and workers, and write the outcomes',
  },
  up: {
    synopsis: 'up',
    description: 'run a control plane with an embedded Postgres until Ctrl-C',
  },
  worker: {
    synopsis: 'worker [action]',
    description: 'run a worker on this machine until Ctrl-C, or manage it with an action',
  },
  submit: {
    synopsis: 'submit <files...>',
    description: 'submit files as a job: JSON lines, a JSON array, CSV, TSV or lines of text',
  },
  jobs: {
    synopsis: 'jobs',
    description: 'list jobs: progress, rate, when they should end',
  },
  job: {
    synopsis: 'job <id>',
    description: 'show one job',
  },
  watch: {
    synopsis: 'watch <id>',
    description: 'show the progress of a job until it ends; exit 1 unless every item is ok',
  },
  cancel: {
    synopsis: 'cancel <id>',
    description: 'cancel a job; keep the outcomes that it has',
  },
  retry: {
    synopsis: 'retry <id>',
    description: 'run failed tasks again, with three new attempts',
  },
  results: {
    synopsis: 'results <id>',
    description: 'write the outcomes of a job',
  },
  items: {
    synopsis: 'items <id>',
    description: 'list the items of a job: their states, errors, workers and sizes',
  },
  item: {
    synopsis: 'item <id> [item]',
    description: 'show one item of a job: its input, its output or error, and its attempts',
  },
  failures: {
    synopsis: 'failures <id>',
    description: 'group the failed items of a job by their errors',
  },
  events: {
    synopsis: 'events',
    description: 'list what happened to jobs and tasks: expired leases, errors, retries',
  },
  throughput: {
    synopsis: 'throughput',
    description: 'count what was finished in the last hour or days, by worker, model or job',
  },
  workers: {
    synopsis: 'workers',
    description: 'list workers: what each one runs, its rate, or why it is idle',
  },
  boots: {
    synopsis: 'boots [name]',
    description: 'list boots of workers and control planes, newest first',
  },
  reclaim: {
    synopsis: 'reclaim',
    description: 'take back every task whose lease has expired',
  },
  keys: {
    synopsis: 'keys',
    description: 'create, list and revoke keys of a control plane',
  },
  prune: {
    synopsis: 'prune',
    description: 'delete jobs that ended long ago, with their items and outcomes',
  },
  config: {
    synopsis: 'config',
    description: 'show the settings of this machine and where they come from',
  },
  doctor: {
    synopsis: 'doctor',
    description: 'check this machine, its model servers and the control plane; exit 1 if a check fails',
  },
  backup: {
    synopsis: 'backup <file>',
    description: 'copy the embedded database to a new file; stop its control plane first',
  },
  restore: {
    synopsis: 'restore <file>',
    description: 'create an embedded database from a backup, in a folder that has none yet',
  },
  bench: {
    synopsis: 'bench',
    description: 'measure the control plane with no-op items over real HTTP and Postgres',
  },
  protocol: {
    synopsis: 'protocol',
    description: 'run the 48-hour durability protocol, compressed or in real time; exit 1 if a step fails',
  },
  completion: {
    synopsis: 'completion <shell>',
    description: 'print the script that completes commands, options and ids in zsh, bash or fish',
  },
} as const satisfies Readonly<Record<string, Summary>>;

export type CommandName = keyof typeof COMMANDS;

/** Adds a command with its name and description, without options. */
export function addCommand(program: Command, name: CommandName): Command {
  const { synopsis, description } = COMMANDS[name];
  return program.command(synopsis).description(description);
}
