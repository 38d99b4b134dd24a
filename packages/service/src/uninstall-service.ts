import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@macbatch/core';
import { rolledFiles } from '@macbatch/process';
import { type InstallRecord, readInstallRecord, removeEmptyFolders } from './install-record.ts';
import { openManager } from './open-manager.ts';
import type { ServiceContext, WorkerDescription } from './service-context.ts';
import { servicePaths } from './service-paths.ts';

/**
 * Stops the service, which hands back what the worker holds and sends its outbox, and removes its files. Asks before
 * it deletes the worker's key and outcomes that were not sent; `yes` answers for the person.
 */
export async function uninstallService(
  context: ServiceContext,
  { yes }: { readonly yes: boolean },
): Promise<void> {
  const { kind, host, home, env, say } = context;
  const { record: recordPath } = servicePaths(kind, home, false, env);
  const record = await readInstallRecord(recordPath);
  const boot = record?.boot ?? false;
  const paths = servicePaths(kind, home, boot, env);
  const unloaded = openManager(kind, boot, host).uninstall(paths.definition, {
    enabledLinger: record?.enabled_linger ?? false,
  });
  // Without an installation, there may be no session of a service manager either.
  await (record === null ? unloaded.catch((error: unknown) => say(messageOf(error))) : unloaded);

  const worker = await context.describe(false).catch((error: unknown) => {
    say(`The worker cannot be described: ${messageOf(error)}`);
    return null;
  });
  const forgets =
    worker !== null && hasSomething(worker) && (yes || (await context.confirm(question(worker))));
  if (forgets) await context.forget();

  for (const file of [...rolledFiles(paths.log), paths.crashLog, paths.launcher, paths.record])
    await rm(file, { force: true });
  await removeEmptyFolders(
    foldersOf(record, [paths.logFolder, dirname(paths.launcher), dirname(paths.record)]),
  );
  say(farewell(worker, forgets));
}

/** The folders that the installation made. Without a record, only folders that nobody else uses. */
function foldersOf(record: InstallRecord | null, own: readonly string[]): readonly string[] {
  return [...(record?.made_folders ?? []), ...own.toReversed()].toSorted((a, b) => a.length - b.length);
}

function hasSomething({ joined, unsent }: WorkerDescription): boolean {
  return joined || unsent > 0;
}

function question({ worker_id, joined, unsent, url }: WorkerDescription): string {
  const outcomes = unsent === 0 ? '' : `${unsent} outcomes that ${url} has not received`;
  const what = [joined ? 'its key' : '', outcomes].filter((part) => part !== '').join(' and ');
  return `Worker ${worker_id} does not run any more. Also delete ${what}?`;
}

function farewell(worker: WorkerDescription | null, forgotten: boolean): string {
  if (worker === null || !hasSomething(worker)) return 'Nothing of the worker is left. Models are kept.';
  if (!forgotten)
    return `The service is removed. The key and the outbox of worker ${worker.worker_id} are kept in ${worker.state_folder}; "macbatch worker uninstall --yes" deletes them.`;
  return `Nothing of worker ${worker.worker_id} is left. Models are kept. An administrator can revoke its key: macbatch keys list`;
}
