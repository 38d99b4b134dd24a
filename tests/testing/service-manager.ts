import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@macbatch/testing';
import { onTestFinished } from 'vitest';

/**
 * Plays launchd: writes a `launchctl` into the folder `bin`. It answers as the real one does: `bootout` returns before
 * the service has ended, and `bootstrap` of a service that is still loaded fails with 5.
 */
export function fakeLaunchd(folder: string, bin: string, userId: number): void {
  const state = join(folder, 'launchd');
  mkdirSync(state);
  const text = `#!/bin/sh
state='${state}'
node='${process.execPath}'
loaded() { [ -f "$state/print" ] && [ "$(cat "$state/target")" = "$1" ]; }
missing() { echo "Could not find service \\"dev.macbatch.worker\\" in domain for user gui: ${userId}" >&2; exit 113; }
case "$1" in
  help) ;;
  print)
    case "$2" in
      */dev.macbatch.worker) if loaded "$2"; then cat "$state/print"; else missing; fi ;;
      gui/${userId} | user/${userId}) echo "$2 = {" ;;
      *) echo "Domain does not support specified action" >&2; exit 125 ;;
    esac ;;
  print-disabled) printf '\\tdisabled services = {\\n\\t\\t"com.apple.other" => disabled\\n\\t}\\n' ;;
  enable) ;;
  bootstrap)
    if [ -f "$state/print" ]; then echo "Bootstrap failed: 5: Input/output error" >&2; exit 5; fi
    target="$2/dev.macbatch.worker"
    echo "$target" > "$state/target"
    "$node" '${join(import.meta.dirname, 'fake-launchd.ts')}' "$state" "$target" "$3" > "$state/output" 2>&1 &
    echo $! > "$state/pid"
    while [ ! -f "$state/print" ]; do sleep 0.05; kill -0 $! || exit 5; done ;;
  bootout) loaded "$2" || missing; kill -TERM "$(cat "$state/pid")" ;;
  kickstart)
    shift $(($# - 1)); loaded "$1" || missing
    kill -USR1 "$(cat "$state/pid")" ;;
  kill) loaded "$3" || missing; kill -TERM "$(sed -n 's/^\\tpid = //p' "$state/print" | head -1)" ;;
  *) exit 64 ;;
esac
`;
  writeFileSync(join(bin, 'launchctl'), text);
  chmodSync(join(bin, 'launchctl'), 0o755);
  onTestFinished(() => {
    if (existsSync(join(state, 'print')))
      execFileSync(join(bin, 'launchctl'), ['bootout', `gui/${userId}/dev.macbatch.worker`]);
  });
}

const SYSTEMD = '/lib/systemd/systemd';

/** Whether a test can start a systemd of its own here. The one of a session would read the real home folder. */
export const hasSystemd =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  existsSync(SYSTEMD) &&
  answers(['unshare', '--mount', 'true']);

function answers([program = '', ...args]: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts a systemd for this test alone. Returns the variables of its programs. */
export async function privateSystemd(home: string, runtimeFolder: string): Promise<Record<string, string>> {
  mkdirSync(runtimeFolder, { mode: 0o700 });
  const group = `macbatch-test-${process.pid}`;
  const script = `
mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system
for folder in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
  [ -f "$folder/cgroup.procs" ] && mkdir -p "$folder/${group}" && echo $$ > "$folder/${group}/cgroup.procs"
done
exec ${SYSTEMD} --user --unit=basic.target`;
  const env = { HOME: home, XDG_RUNTIME_DIR: runtimeFolder, PATH: process.env['PATH'] ?? '' };
  const child = spawn('unshare', ['--mount', 'sh', '-c', script], { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    for (const folder of ['/sys/fs/cgroup', '/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd'])
      if (existsSync(join(folder, group)))
        execFileSync('find', [join(folder, group), '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
  });
  await until(() => {
    execFileSync('systemctl', ['--user', 'show-environment'], { env, stdio: 'ignore' });
    return true;
  });
  return env;
}
