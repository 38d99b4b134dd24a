import { Failure } from '@macbatch/terminal';
import { LaunchdManager } from './launchd/launchd-manager.ts';
import type { ServiceHost } from './service-host.ts';
import type { ServiceManager } from './service-manager.ts';
import type { ManagerKind } from './service-paths.ts';
import { SystemdManager } from './systemd/systemd-manager.ts';

/** Finds the service manager of this machine: launchd of macOS, or systemd. Throws a `Failure` if there is none. */
export async function findManagerKind(host: ServiceHost): Promise<ManagerKind> {
  // Each of them lists its commands without a connection to the manager.
  if ((await host.run('launchctl', ['help'])).code !== 127) return 'launchd';
  if ((await host.run('systemctl', ['--version'])).code !== 127) return 'systemd';
  throw new Failure(
    1,
    'This machine has neither launchd nor systemd. Run "macbatch worker" with its own service manager.',
  );
}

/** Returns what controls the service. `boot`: the service starts with the machine. */
export function openManager(kind: ManagerKind, boot: boolean, host: ServiceHost): ServiceManager {
  return kind === 'launchd' ? new LaunchdManager(host, boot) : new SystemdManager(host, boot);
}
