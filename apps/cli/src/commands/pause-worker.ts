import { hostname } from 'node:os';
import { EXIT, Failure, pauseText, printJson, printLine, type Terminal } from '@macbatch/terminal';
import { connect } from '../options/connection.ts';
import { parseMoment } from '../options/moment.ts';

export interface PauseOptions {
  readonly url?: string;
  readonly id?: string;
  readonly until?: string;
  readonly reason?: string;
  readonly drain?: boolean;
  readonly json?: boolean;
}

/** Pauses or resumes a worker through the control plane: the one with this name, or the one of this machine. */
export async function pauseOrResume(
  action: 'pause' | 'resume',
  name: string | undefined,
  { url, id, until, reason, drain, json }: PauseOptions,
  terminal: Terminal,
): Promise<void> {
  if (action === 'resume' && (until !== undefined || reason !== undefined || drain !== undefined))
    throw new Failure(EXIT.usage, '--until, --reason and --drain are for worker pause');
  const worker = name ?? id ?? terminal.env['MACBATCH_WORKER_ID'] ?? hostname();
  const body = {
    ...(until === undefined ? {} : { until: parseMoment('--until', until, new Date()).toISOString() }),
    ...(reason === undefined ? {} : { reason }),
    ...(drain === true ? { drain } : {}),
  };
  const address = url ?? terminal.env['MACBATCH_URL'] ?? terminal.env['MACBATCH_CONTROL_URL'];
  const client = connect(address === undefined ? {} : { url: address }, terminal);
  const reply =
    action === 'pause'
      ? await client.call('pauseWorker', { params: { id: worker }, body })
      : await client.call('resumeWorker', { params: { id: worker } });
  if (json === true) printJson(terminal.stdout, reply);
  else
    printLine(
      terminal.stdout,
      reply.pause === null ? `${worker} is not paused` : `${worker} is ${pauseText(reply.pause, new Date())}`,
    );
}
