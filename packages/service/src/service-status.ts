import { readFile } from 'node:fs/promises';
import { readInstallRecord } from './install-record.ts';
import { newestLines } from './log-lines.ts';
import { openManager } from './open-manager.ts';
import type { ServiceContext, WorkerDescription } from './service-context.ts';
import { servicePaths } from './service-paths.ts';
import { NOT_LOADED, type ServiceState } from './service-state.ts';
import { type SignOfLife, signOfLife } from './sign-of-life.ts';

export interface ServiceStatus {
  readonly installed: boolean;
  readonly boot: boolean;
  readonly manager: 'launchd' | 'systemd';
  readonly state: ServiceState;
  readonly worker: WorkerDescription;
  /** What the log says last. */
  readonly sign: SignOfLife | null;
  /** The last lines that escaped the log of a worker that does not run. */
  readonly crash: string | null;
  readonly log: string;
}

const LINES = 500;
const CRASH_LINES = 5;

/** Collects what this machine and the control plane know of the worker. */
export async function serviceStatus(context: ServiceContext): Promise<ServiceStatus> {
  const { kind, home, env, host } = context;
  const record = await readInstallRecord(servicePaths(kind, home, false, env).record);
  const boot = record?.boot ?? false;
  const paths = servicePaths(kind, home, boot, env);
  const [worker, state, lines] = await Promise.all([
    context.describe(true),
    record === null ? NOT_LOADED : openManager(kind, boot, host).state(),
    newestLines(paths.log, LINES),
  ]);
  const crash = state.running ? '' : await readFile(paths.crashLog, 'utf8').catch(() => '');
  const crashLines = crash.trim().split('\n').slice(-CRASH_LINES).join('\n');
  return {
    installed: record !== null,
    boot,
    manager: kind,
    state,
    worker,
    sign: signOfLife(lines),
    crash: crashLines === '' ? null : crashLines,
    log: paths.log,
  };
}

/** Returns the path of the worker's log. */
export function serviceLog({ kind, home, env }: Pick<ServiceContext, 'kind' | 'home' | 'env'>): string {
  return servicePaths(kind, home, false, env).log;
}

/** Returns the program and the Node of the installed service, and the last problem in its log; null if there is none. */
export async function readInstalledService({
  kind,
  home,
  env,
}: Pick<ServiceContext, 'kind' | 'home' | 'env'>): Promise<{
  readonly program: string;
  readonly node: string;
  readonly problem: string | null;
} | null> {
  const paths = servicePaths(kind, home, false, env);
  const record = await readInstallRecord(paths.record);
  if (record === null) return null;
  const sign = signOfLife(await newestLines(paths.log, LINES));
  const problem = sign?.kind === 'failed' ? sign.reason : sign?.kind === 'unanswered' ? sign.problem : null;
  return { program: record.program, node: record.node, problem };
}
