import { join } from 'node:path';

/** The program that starts a service when this machine starts. */
export type ManagerKind = 'launchd' | 'systemd';

/** The files of the service on this machine. */
export interface ServicePaths {
  /** The property list of launchd, or the unit of systemd. */
  readonly definition: string;
  /** The script that the service runs. People see its name in the list of login items. */
  readonly launcher: string;
  readonly logFolder: string;
  /** The log of the worker. Full files become `worker.log.1` and so on. */
  readonly log: string;
  /** What escapes the log, such as a crash of Node. */
  readonly crashLog: string;
  /** What was installed, and which folders were made for it. */
  readonly record: string;
}

export const LABEL = 'dev.macbatch.worker';
export const UNIT = 'macbatch-worker.service';

/** Returns the files of the service in a home folder. `boot`: it starts with the machine, without a login. */
export function servicePaths(
  kind: ManagerKind,
  home: string,
  boot: boolean,
  env: Readonly<Record<string, string | undefined>> = {},
): ServicePaths {
  const logFolder =
    kind === 'launchd'
      ? join(home, 'Library/Logs/macbatch')
      : join(env['XDG_STATE_HOME'] || join(home, '.local/state'), 'macbatch');
  const folder = join(home, '.macbatch');
  return {
    definition: definitionPath(kind, home, boot, env),
    launcher: join(folder, 'bin/macbatch-worker'),
    logFolder,
    log: join(logFolder, 'worker.log'),
    crashLog: join(logFolder, 'worker.crash.log'),
    record: join(folder, 'service.json'),
  };
}

function definitionPath(
  kind: ManagerKind,
  home: string,
  boot: boolean,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (kind === 'systemd') return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd/user', UNIT);
  return boot ? `/Library/LaunchDaemons/${LABEL}.plist` : join(home, `Library/LaunchAgents/${LABEL}.plist`);
}
