import { LABEL } from '../service-paths.ts';
import { plistText } from './plist-text.ts';

export interface WorkerPlistOptions {
  readonly launcher: string;
  readonly crashLog: string;
  readonly workingFolder: string;
  /** Folders in which the worker's programs are found. */
  readonly path: readonly string[];
  /** The user of a daemon of the system. Null: an agent of the user who is logged in. */
  readonly userName: string | null;
}

/** Returns the property list of the worker for launchd. Secrets do not belong here: `launchctl print` shows it. */
export function workerPlist(options: WorkerPlistOptions): string {
  const { launcher, crashLog, workingFolder, path, userName } = options;
  return plistText({
    Label: LABEL,
    ProgramArguments: [launcher],
    ...(userName === null ? { LimitLoadToSessionType: ['Aqua', 'Background'] } : { UserName: userName }),
    RunAtLoad: true,
    // Not plain true: launchd would then also start a worker again that a person stopped.
    KeepAlive: { SuccessfulExit: false },
    // launchd has no limit on the number of restarts.
    ThrottleInterval: 30,
    // The default and Background slow the worker down, and with it the model server that it waits for.
    ProcessType: 'Interactive',
    // A worker drains within 16 seconds. After this time, launchd kills it.
    ExitTimeOut: 30,
    EnvironmentVariables: { PATH: path.join(':'), LANG: 'en_US.UTF-8' },
    WorkingDirectory: workingFolder,
    // Decimal: only the user may read what the worker writes.
    Umask: 0o077,
    StandardOutPath: crashLog,
    StandardErrorPath: crashLog,
  });
}
