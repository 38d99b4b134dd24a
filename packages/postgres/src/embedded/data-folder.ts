import { access, chmod, constants, mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '@macbatch/core';
import { OpenPostgresError } from '../open-postgres-error.ts';

/** Prefix of folders in which a cluster is being created. */
export const DRAFT_PREFIX = 'creating-';

/** The layout of a data folder. Beside these it holds the claim of its owner. */
export interface DataFolder {
  /** Without symbolic links, so that it compares with what the system says of processes. */
  readonly root: string;
  /** Postgres' own data directory. It exists only finished: it is created beside and then renamed. */
  readonly cluster: string;
  readonly passwordFile: string;
}

/** Makes the folder if need be and refuses one that this Postgres cannot use. */
export async function openDataFolder(path: string, major: string): Promise<DataFolder> {
  const root = await makeFolder(resolve(path));
  if (await readVersion(root)) {
    throw unusable(
      root,
      'is itself a Postgres data directory and not one of macbatch. ' +
        'Give another folder, or run a server on it and give its URL.',
    );
  }
  const folder = { root, cluster: join(root, 'cluster'), passwordFile: join(root, 'password') };
  await requireUsableCluster(folder.cluster, major);
  return folder;
}

/** Deletes what interrupted first starts left. Call it only as the folder's owner. */
export async function removeDrafts(folder: DataFolder): Promise<void> {
  const drafts = (await readdir(folder.root)).filter((name) => name.startsWith(DRAFT_PREFIX));
  for (const draft of drafts) {
    // The initdb of a killed owner may still be writing into it: then the next start deletes it.
    await rm(join(folder.root, draft), { recursive: true, force: true, maxRetries: 3 }).catch(
      () => undefined,
    );
  }
}

export async function hasCluster(folder: DataFolder): Promise<boolean> {
  return (await readVersion(folder.cluster)) !== undefined;
}

async function makeFolder(path: string): Promise<string> {
  try {
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    // A server run as another user must pass through; nothing in it is readable to others.
    if (made !== undefined && process.getuid?.() === 0) await chmod(path, 0o711);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return await realpath(path);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new OpenPostgresError(
      'folder_unusable',
      `The folder ${path} cannot be made or written to (${reason}). Give one that you may write to.`,
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
      `belongs to user id ${facts.uid}, and this is ${self}. Start as that user, or chown the folder.`,
    );
  }
  if ((await readdir(cluster)).length === 0) return;
  const found = await readVersion(cluster);
  if (found === undefined) {
    throw unusable(
      cluster,
      'holds files but no PG_VERSION, so it is no complete cluster. ' +
        'Restore it from a backup, or move it away to start with an empty one.',
    );
  }
  if (found !== major) {
    throw new OpenPostgresError(
      'other_major',
      `The data in ${cluster} are of Postgres ${found}; the embedded server is Postgres ${major} and cannot read them. ` +
        `Give another folder, or run a Postgres ${found} on it and give its URL, or move the data with pg_dump.`,
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
