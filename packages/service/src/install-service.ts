import { realpathSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EXIT, Failure } from '@macbatch/terminal';
import { awaitSign } from './await-sign.ts';
import { makeFolder, readInstallRecord, writeInstallRecord } from './install-record.ts';
import { installRefusal } from './install-refusal.ts';
import { workerPlist } from './launchd/worker-plist.ts';
import { launcherScript } from './launcher-script.ts';
import { LogFollower } from './log-follower.ts';
import { openManager } from './open-manager.ts';
import { packageSource, stableProgram } from './package-source.ts';
import { replaceFileAs } from './replace-file-as.ts';
import { reportSign } from './report-sign.ts';
import type { ServiceContext } from './service-context.ts';
import { type ServicePaths, servicePaths } from './service-paths.ts';
import { stableNode } from './stable-node.ts';
import { workerUnit } from './systemd/worker-unit.ts';

/** Installs the worker as a service, or replaces an earlier installation, and waits until it works. */
export async function installService(
  context: ServiceContext,
  { boot, userName }: { readonly boot: boolean; readonly userName: string },
): Promise<void> {
  const { kind, host, home, env, say } = context;
  const worker = await context.describe(false);
  const source = packageSource(context.program);
  const refusal = installRefusal({
    kind,
    boot,
    userId: host.userId,
    sudoUser: env['SUDO_USER'] ?? null,
    home,
    program: context.program,
    source,
    stateFolder: worker.state_folder,
    joined: worker.joined || worker.configured,
  });
  if (refusal !== null) throw new Failure(EXIT.usage, refusal);

  const paths = servicePaths(kind, home, boot, env);
  const before = await readInstallRecord(paths.record);
  if (before !== null && before.boot !== boot)
    await openManager(kind, before.boot, host).uninstall(
      servicePaths(kind, home, before.boot, env).definition,
      { enabledLinger: before.enabled_linger },
    );
  const made: string[] = [...(before?.made_folders ?? [])];
  for (const folder of foldersOf(paths, kind === 'launchd' && boot)) made.push(...(await makeFolder(folder)));
  const program = stableProgram(context.program);
  const node = stableNode({
    execPath: context.execPath,
    pathFolders: (env['PATH'] ?? '').split(':'),
    realPath,
  });
  const record = {
    boot,
    enabled_linger: before?.boot === boot && before.enabled_linger,
    program,
    node,
    worker_id: worker.worker_id,
    state_folder: worker.state_folder,
    made_folders: [...new Set(made)],
  };
  await writeInstallRecord(paths.record, record);
  await replaceFileAs(
    0o700,
    paths.launcher,
    launcherScript({
      kind,
      boot,
      home,
      paths,
      program,
      node,
      oldestNode: context.oldestNode,
      variables: context.variables,
    }),
  );
  await chmod(paths.launcher, 0o700);
  const recorded = Object.keys(context.variables);
  if (recorded.length > 0) say(`The service keeps these variables of this shell: ${recorded.join(', ')}`);

  const log = await LogFollower.atEnd(paths.log);
  const definition = definitionText(context, paths, boot ? userName : null, dirname(node));
  const installed = await openManager(kind, boot, host).install(paths.definition, definition);
  if (installed.enabledLinger) await writeInstallRecord(paths.record, { ...record, enabled_linger: true });
  if (installed.note !== null) say(installed.note);
  await reportSign(context, await awaitSign(context, log), worker, paths.crashLog);
}

/** The folders of the service's files. The one of a daemon of the system exists. */
function foldersOf(paths: ServicePaths, isDaemon: boolean): readonly string[] {
  return [
    ...(isDaemon ? [] : [dirname(paths.definition)]),
    dirname(paths.record),
    dirname(paths.launcher),
    paths.logFolder,
  ];
}

function definitionText(
  { kind }: ServiceContext,
  { launcher, crashLog, record }: ServicePaths,
  userName: string | null,
  nodeFolder: string,
): string {
  const system = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  const homebrew = kind === 'launchd' ? ['/opt/homebrew/bin'] : [];
  const path = [...new Set([nodeFolder, ...homebrew, '/usr/local/bin', ...system])];
  const options = { launcher, crashLog, workingFolder: dirname(record), path };
  return kind === 'launchd' ? workerPlist({ ...options, userName }) : workerUnit(options);
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
