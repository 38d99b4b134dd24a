import type { Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import type { CommandName } from './command-names.ts';

/** Loads the code of a command. Returns what adds it, and the other commands of the same file, to the program. */
type Loader = () => Promise<(program: Command, terminal: Terminal) => void>;

export const LOADERS: Readonly<Record<CommandName, Loader>> = {
  run: async () => (await import('./run.ts')).addRun,
  up: async () => (await import('./up.ts')).addUp,
  worker: async () => (await import('./worker/worker.ts')).addWorker,
  submit: async () => (await import('./submit.ts')).addSubmit,
  jobs: async () => (await import('./jobs.ts')).addJobs,
  job: async () => (await import('./job.ts')).addJobCommands,
  watch: async () => (await import('./job.ts')).addJobCommands,
  cancel: async () => (await import('./job.ts')).addJobCommands,
  retry: async () => (await import('./job.ts')).addJobCommands,
  results: async () => (await import('./results.ts')).addResults,
  items: async () => (await import('./items.ts')).addItems,
  item: async () => (await import('./items.ts')).addItems,
  failures: async () => (await import('./failures.ts')).addFailures,
  events: async () => (await import('./events.ts')).addEvents,
  throughput: async () => (await import('./throughput.ts')).addThroughput,
  workers: async () => (await import('./workers.ts')).addWorkerLists,
  boots: async () => (await import('./workers.ts')).addWorkerLists,
  reclaim: async () => (await import('./workers.ts')).addWorkerLists,
  keys: async () => (await import('./keys.ts')).addKeys,
  prune: async () => (await import('./prune.ts')).addPrune,
  config: async () => (await import('./config.ts')).addConfig,
  doctor: async () => (await import('./doctor.ts')).addDoctor,
  backup: async () => (await import('./backup.ts')).addBackup,
  restore: async () => (await import('./backup.ts')).addBackup,
  bench: async () => (await import('./bench/bench.ts')).addBench,
  protocol: async () => (await import('./protocol.ts')).addProtocol,
  completion: async () => (await import('./completion.ts')).addCompletion,
};
