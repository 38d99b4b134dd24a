import { LABEL, type ManagerKind, type ServicePaths, UNIT } from './service-paths.ts';
import { shellQuoted } from './shell-quoted.ts';

export interface LauncherOptions {
  readonly kind: ManagerKind;
  readonly boot: boolean;
  readonly home: string;
  readonly paths: Pick<ServicePaths, 'log' | 'crashLog'>;
  /** The main file of the worker. */
  readonly program: string;
  /** The Node that was found during the installation. The script looks for others when it does not run. */
  readonly node: string;
  readonly oldestNode: readonly [major: number, minor: number];
  /** Variables of the worker that were set during the installation. */
  readonly variables: Readonly<Record<string, string>>;
  /** How long the script waits for a missing program. */
  readonly upgradeSeconds?: number;
}

/** Exit code for a configuration that cannot work, as in sysexits.h. */
const EX_CONFIG = 78;

/** Returns the script that the service runs: it finds Node at each start, then becomes the worker. */
export function launcherScript(options: LauncherOptions): string {
  const { home, paths, program, node, oldestNode, variables, upgradeSeconds = 60 } = options;
  const [major, minor] = oldestNode;
  const exports = Object.entries({ HOME: home, ...variables }).map(
    ([name, value]) => `export ${name}=${shellQuoted(value)}`,
  );
  const isNew = `const [a, b] = process.versions.node.split('.').map(Number); process.exit(a > ${major} || (a === ${major} && b >= ${minor}) ? 0 : 1)`;
  return `#!/bin/sh
# Written by "macbatch worker install", and written again by the next installation. Starts the worker of this machine.
${exports.join('\n')}
program=${shellQuoted(program)}
crash_log=${shellQuoted(paths.crashLog)}

# The service manager only appends to this file.
if [ -f "$crash_log" ] && [ "$(wc -c < "$crash_log")" -gt 1000000 ]; then : > "$crash_log"; fi

# The package is missing for a while during an upgrade.
waited=0
while [ ! -f "$program" ] && [ "$waited" -lt ${upgradeSeconds} ]; do
  sleep 1
  waited=$((waited + 1))
done
if [ ! -f "$program" ]; then
  echo "macbatch was removed: $program does not exist. This service unloads itself." >&2
  ${unloadCommand(options)}
  exit 0
fi

for node in ${shellQuoted(node)} /opt/homebrew/opt/node@24/bin/node /usr/local/opt/node@24/bin/node "$(command -v node)"; do
  if [ -x "$node" ] && "$node" -e ${shellQuoted(isNew)} 2> /dev/null; then
    exec "$node" "$program" service ${shellQuoted(paths.log)}
  fi
done
echo "No Node ${major}.${minor} or newer was found. Install one, for example with: brew install node@24" >&2
exit ${EX_CONFIG}
`;
}

/** A daemon of the system may not unload itself. Exit code 0 keeps it from being started again. */
function unloadCommand({ kind, boot }: LauncherOptions): string {
  if (kind === 'systemd') return `systemctl --user disable --no-block ${UNIT} 2> /dev/null`;
  if (boot) return ':';
  return `for domain in "gui/$(id -u)" "user/$(id -u)"; do launchctl bootout "$domain/${LABEL}" 2> /dev/null; done`;
}
