import { ApiError, Unreachable, UnreadableReply } from '@macbatch/client';
import { hideSecrets } from '@macbatch/core';
import { EXIT, Failure, printLine, type Terminal } from '@macbatch/terminal';
import { Command, CommanderError } from 'commander';
import { addBackup } from './commands/backup.ts';
import { addBench } from './commands/bench/bench.ts';
import { addConfig } from './commands/config.ts';
import { addDoctor } from './commands/doctor.ts';
import { addJobCommands } from './commands/job.ts';
import { addKeys } from './commands/keys.ts';
import { addProtocol } from './commands/protocol.ts';
import { addPrune } from './commands/prune.ts';
import { addResults } from './commands/results.ts';
import { addRun } from './commands/run.ts';
import { addSubmit } from './commands/submit.ts';
import { addUp } from './commands/up.ts';
import { addWorker } from './commands/worker.ts';
import { addWorkerLists } from './commands/workers.ts';
import { programEnv } from './options/program-env.ts';

/** Runs the command line. Returns the exit code. */
export async function runProgram(argv: readonly string[], given: Terminal): Promise<number> {
  let env: Terminal['env'] | undefined;
  const terminal: Terminal = {
    ...given,
    // Read when a command runs, so that --help works with any configuration file.
    get env() {
      env ??= programEnv(argv, given.env);
      return env;
    },
  };
  const program = new Command('macbatch')
    .description('Batch inference on the Macs you already own.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .showHelpAfterError('(--help lists the commands and options)');
  addRun(program, terminal);
  addUp(program, terminal);
  addWorker(program, terminal);
  addSubmit(program, terminal);
  addJobCommands(program, terminal);
  addResults(program, terminal);
  addWorkerLists(program, terminal);
  addKeys(program, terminal);
  addPrune(program, terminal);
  addConfig(program, terminal);
  addDoctor(program, terminal);
  addBackup(program, terminal);
  addBench(program, terminal);
  addProtocol(program, terminal);
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync(argv);
    return EXIT.ok;
  } catch (error) {
    return exitCode(error, terminal);
  }
}

function exitCode(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (terminal.interrupted.aborted) return EXIT.interrupted;
  const complain = (problem: string) => printLine(terminal.stderr, `macbatch: ${hideSecrets(problem)}`);
  if (error instanceof Failure) {
    if (error.message !== '') complain(error.message);
    return error.exitCode;
  }
  if (error instanceof ApiError) {
    complain(error.message);
    return error.status < 500 ? EXIT.usage : EXIT.unavailable;
  }
  if (error instanceof Unreachable || error instanceof UnreadableReply) {
    complain(error.message);
    return EXIT.unavailable;
  }
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (error instanceof Error && typeof code === 'string' && /^E[A-Z]+$/.test(code)) {
    complain(error.message);
    return EXIT.usage;
  }
  complain(`this is a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return EXIT.unavailable;
}
