import type { WorkerView } from '@macbatch/contract';
import { lastExitText, type ServiceStatus, serviceStateText } from '@macbatch/service';
import { pauseText, whyIdle, workerState } from '@macbatch/terminal';

/** Returns the lines of the status as pairs of a name and a text. */
export function statusRows(
  status: ServiceStatus,
  view: WorkerView | null,
  now: Date,
): readonly (readonly [name: string, text: string])[] {
  const { installed, state, worker, sign, crash, manager, boot } = status;
  const last = lastExitText(state);
  return [
    ['worker', worker.worker_id],
    ['service', installed ? serviceStateText(state) : 'not installed: macbatch worker install'],
    ...(installed ? [['starts', boot ? 'with the machine' : 'at login'] as const] : []),
    ...(installed && state.switchedOff ? [['switched off', switchedOffText(manager)] as const] : []),
    ...(last === null || state.running ? [] : [['last exit', last] as const]),
    ...(sign?.kind === 'failed' && !state.running ? [['reason', sign.reason] as const] : []),
    ...(crash !== null && sign?.kind !== 'failed' ? [['crash', crash.replaceAll('\n', ' | ')] as const] : []),
    ['control plane', controlText(status, view)],
    ...(view === null || view.pause === null ? [] : [['pause', pauseText(view.pause, now)] as const]),
    ...(view === null || whyIdle(view) === '' ? [] : [['why', whyIdle(view)] as const]),
    ...(worker.unsent === 0 ? [] : [['not sent', `${worker.unsent} outcomes`] as const]),
    ['log', status.log],
  ];
}

function controlText({ worker, sign, state }: ServiceStatus, view: WorkerView | null): string {
  if (worker.problem !== undefined) return `${worker.url}: ${worker.problem}`;
  if (view === null)
    return `${worker.url} does not know this worker${state.running && sign?.kind === 'unanswered' && sign.problem !== null ? `: ${sign.problem}` : ''}`;
  const seconds = Math.round(view.heartbeat_age_seconds ?? 0);
  return `${worker.url}: ${workerState(view)}, last heartbeat ${seconds} s ago`;
}

function switchedOffText(manager: ServiceStatus['manager']): string {
  return manager === 'launchd'
    ? 'allow macbatch-worker in System Settings > General > Login Items'
    : 'it does not start at login: systemctl --user enable macbatch-worker';
}
