import { pauseText, printJson, printLine, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../../options/connection.ts';
import { parseMoment } from '../../options/moment.ts';
import { pauseHere, resumeHere } from './pause-here.ts';
import { type WorkerIdentity, withWorkerIdentity } from './worker-program.ts';

interface NamedOptions extends ConnectionOptions, WorkerIdentity {}

interface PauseOptions extends NamedOptions {
  readonly until?: string;
  readonly reason?: string;
  readonly drain?: boolean;
}

/**
 * Adds the actions `pause` and `resume`. With a name they ask the control plane, so they work for any worker. Without,
 * they are for the worker of this Mac, and work without a network.
 */
export function addPauseActions(worker: Command, terminal: Terminal): void {
  withWorkerIdentity(
    withConnection(
      worker
        .command('pause [name]')
        .description(
          'keep the worker of this machine from running; with a name: any worker, through the control plane',
        ),
    ),
  )
    .option('--until <time>', 'when the pause ends by itself, such as 18:00, 90m or 12h')
    .option('--reason <text>', 'why, for people')
    .option('--drain', 'with a name: hand back what the worker has not started (without one it always does)')
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<PauseOptions>();
      const { until, reason, drain } = options;
      const end = until === undefined ? null : parseMoment('--until', until, new Date());
      if (name === undefined) return pauseHere({ until: end, reason: reason ?? null }, options, terminal);
      const body = {
        ...(end === null ? {} : { until: end.toISOString() }),
        ...(reason === undefined ? {} : { reason }),
        ...(drain === true ? { drain } : {}),
      };
      const params = { id: name };
      report(name, await open(options, terminal).call('pauseWorker', { params, body }), options, terminal);
    });

  withWorkerIdentity(
    withConnection(worker.command('resume [name]').description('end the pause of a worker')),
  ).action(async (name: string | undefined, _: unknown, command: Command) => {
    const options = command.optsWithGlobals<NamedOptions>();
    if (name === undefined) return resumeHere(options, terminal);
    const params = { id: name };
    report(name, await open(options, terminal).call('resumeWorker', { params }), options, terminal);
  });
}

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
