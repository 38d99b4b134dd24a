import { access, chmod, constants, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '@macbatch/core';
import { OpenPostgresError } from '../open-postgres-error.ts';

/** Prefix of the folders in which clusters are created. */
export const DRAFT_PREFIX = 'creating-';

/** The paths in a data folder. It also contains the owner files of `takeOwnership`. */
export interface DataFolder {
  /** Without symbolic links, so that it can be compared with the paths of processes. */
  readonly root: string;
  /** The data directory of Postgres. It is created as a draft and then renamed, so it is never incomplete. */
  readonly cluster: string;
  readonly passwordFile: string;
}

/** Creates the folder if it does not exist. Throws if this version of Postgres cannot use it. */
export async function openDataFolder(path: string, major: string): Promise<DataFolder> {
  const root = await createFolder(resolve(path));
  if (await readVersion(root)) {
    throw unusable(
      root,
      'is a Postgres data directory that macbatch did not create. ' +
        'Choose another folder, or run a server on it and set its URL.',
    );
  }
  const folder = { root, cluster: join(root, 'cluster'), passwordFile: join(root, 'password') };
  await requireUsableCluster(folder.cluster, major);
  return folder;
}

/** Deletes the drafts of interrupted starts. The caller must own the folder. */
export async function removeDrafts(folder: DataFolder): Promise<void> {
  const drafts = (await readdir(folder.root)).filter((name) => name.startsWith(DRAFT_PREFIX));
  for (const draft of drafts) {
    // The initdb of a killed process may still write into the draft. Then the next start deletes it.
    await rm(join(folder.root, draft), { recursive: true, force: true, maxRetries: 3 }).catch(
      () => undefined,
    );
  }
}

/** Returns whether the folder contains a cluster. */
export async function hasCluster(folder: DataFolder): Promise<boolean> {
  return (await readVersion(folder.cluster)) !== undefined;
}

async function createFolder(path: string): Promise<string> {
  try {
    const created = await mkdir(path, { recursive: true, mode: 0o700 });
    // The server may run as another user, who must be able to enter the folder but not to read it.
    if (created !== undefined && process.getuid?.() === 0) await chmod(path, 0o711);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new OpenPostgresError(
      'folder_unusable',
      `The folder ${path} cannot be created or written to (${reason}). Choose a folder that you can write to.`,
      { cause },
    );
  }
}

async function requireUsableCluster(cluster: string, major: string): Promise<void> {
  const facts = await stat(cluster).catch(() => undefined);
  if (facts === undefined) return;
  const self = process.getuid?.();
  if (self !== undefined && self !== 0 && facts.uid !== self) {
    throw unusable(
      cluster,
      `belongs to user id ${facts.uid}, and this process runs as ${self}. Start macbatch as that user, or chown the folder.`,
    );
  }
  if ((await readdir(cluster)).length === 0) return;
  const found = await readVersion(cluster);
  if (found === undefined) {
    throw unusable(
      cluster,
      'contains files but no PG_VERSION, so it is not a complete cluster. ' +
        'Restore it from a backup, or move it away to start with an empty one.',
    );
  }
  if (found !== major) {
    throw new OpenPostgresError(
      'other_major',
      `The data in ${cluster} are from Postgres ${found}; the embedded server is Postgres ${major} and cannot read them. ` +
        `Choose another folder, or run a Postgres ${found} on it and set its URL, or move the data with pg_dump.`,
    );
  }
}

async function readVersion(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return text?.trim();
}

function unusable(folder: string, reason: string): OpenPostgresError {
  return new OpenPostgresError('folder_unusable', `The folder ${folder} ${reason}`);
}
