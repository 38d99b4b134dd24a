import { hostname } from 'node:os';
import { pauseText, printJson, printLine, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../../options/connection.ts';
import { parseMoment } from '../../options/moment.ts';
import { type WorkerIdentity, withWorkerIdentity } from './worker-program.ts';

interface NamedOptions extends ConnectionOptions, WorkerIdentity {}

interface PauseOptions extends NamedOptions {
  readonly until?: string;
  readonly reason?: string;
  readonly drain?: boolean;
}

/** Adds the actions `pause` and `resume`. They ask the control plane, so they work for any worker. */
export function addPauseActions(worker: Command, terminal: Terminal): void {
  withWorkerIdentity(
    withConnection(
      worker
        .command('pause [name]')
        .description(
          'keep a worker from leasing, through the control plane; default: the worker of this machine',
        ),
    ),
  )
    .option('--until <time>', 'when the pause ends by itself, such as 18:00, 90m or 12h')
    .option('--reason <text>', 'why, for people')
    .option('--drain', 'hand back what the worker has not started')
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<PauseOptions>();
      const { until, reason, drain } = options;
      const body = {
        ...(until === undefined ? {} : { until: parseMoment('--until', until, new Date()).toISOString() }),
        ...(reason === undefined ? {} : { reason }),
        ...(drain === true ? { drain } : {}),
      };
      const id = nameOf(name, options, terminal);
      report(
        id,
        await open(options, terminal).call('pauseWorker', { params: { id }, body }),
        options,
        terminal,
      );
    });

  withWorkerIdentity(
    withConnection(worker.command('resume [name]').description('end the pause of a worker')),
  ).action(async (name: string | undefined, _: unknown, command: Command) => {
    const options = command.optsWithGlobals<NamedOptions>();
    const id = nameOf(name, options, terminal);
    report(id, await open(options, terminal).call('resumeWorker', { params: { id } }), options, terminal);
  });
}

const nameOf = (name: string | undefined, { id }: NamedOptions, { env }: Terminal) =>
  name ?? id ?? env['MACBATCH_WORKER_ID'] ?? hostname();

function open({ url }: NamedOptions, terminal: Terminal) {
  const address = url ?? terminal.env['MACBATCH_URL'] ?? terminal.env['MACBATCH_CONTROL_URL'];
  return connect(address === undefined ? {} : { url: address }, terminal);
}

function report(
  id: string,
  reply: { readonly pause: Parameters<typeof pauseText>[0] | null },
  { json }: NamedOptions,
  { stdout }: Terminal,
): void {
  if (json === true) printJson(stdout, reply);
  else
    printLine(
      stdout,
      reply.pause === null ? `${id} is not paused` : `${id} is ${pauseText(reply.pause, new Date())}`,
    );
}
