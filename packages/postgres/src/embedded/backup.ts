import { createWriteStream } from 'node:fs';
import { access, chmod, mkdtemp, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '@macbatch/core';
import { create, extract } from 'tar';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { findBinaries } from './binaries.ts';
import { type DataFolder, DRAFT_PREFIX, hasCluster, openDataFolder, removeDrafts } from './data-folder.ts';
import { takeOwnership } from './folder-ownership.ts';
import { stopOrphan } from './postmaster.ts';
import { syncPath } from './sync-path.ts';

const PARTS = ['password', 'cluster'];

export interface BackupPlace {
  /** The folder of an embedded server. */
  readonly dataDir: string;
  /** A gzipped tar file. It contains the password of the database: protect it like the database. */
  readonly file: string;
}

/**
 * Copies the data of an embedded server that is stopped into a new file. The file appears whole or not at all.
 *
 * @throws {OpenPostgresError} if the folder contains no data or is in use
 */
export async function backUpEmbedded({ dataDir, file }: BackupPlace): Promise<void> {
  await requireData(dataDir);
  const folder = await openDataFolder(dataDir, (await findBinaries()).major);
  await requireAbsent(file);
  const ownership = await takeOwnership(folder.root);
  try {
    await stopOrphan(folder.cluster);
    await writeWhole(file, (draft) =>
      pipeline(
        create({ cwd: folder.root, gzip: true, strict: true, filter: isData }, PARTS),
        createWriteStream(draft, { flags: 'wx', mode: 0o600 }),
      ),
    );
  } finally {
    await ownership.release();
  }
}

/**
 * Fills an empty data folder from a backup.
 *
 * @param prepare is called with a draft of the data folder, on which it may run a server. If it rejects, nothing
 *   changes.
 * @throws {OpenPostgresError} if the folder contains data or is in use, or if the backup is damaged
 */
export async function restoreEmbedded(
  { dataDir, file }: BackupPlace,
  prepare: (draftDir: string) => Promise<void>,
): Promise<void> {
  const { major } = await findBinaries();
  await access(file);
  const folder = await openDataFolder(dataDir, major);
  const ownership = await takeOwnership(folder.root);
  try {
    if (await hasCluster(folder))
      throw unusable(folder.root, 'already contains a database. Move it away first.');
    await removeDrafts(folder);
    const path = await mkdtemp(join(folder.root, DRAFT_PREFIX));
    // The server may run as another user, who must be able to enter the folder.
    if (process.getuid?.() === 0) await chmod(path, 0o711);
    await unpack(resolve(file), path);
    const draft = await openDataFolder(path, major);
    if (!(await hasCluster(draft))) throw noBackup(file, 'it contains no database');
    await prepare(draft.root);
    await syncTree(draft.root);
    await moveIntoPlace(draft, folder);
  } finally {
    await ownership.release();
  }
}

async function requireData(dataDir: string): Promise<void> {
  const found = await stat(join(dataDir, 'cluster', 'PG_VERSION')).catch(() => undefined);
  if (found === undefined)
    throw unusable(dataDir, 'contains no database. Name the data folder of the control plane.');
}

async function requireAbsent(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined)
    throw new OpenPostgresError('bad_backup', `${file} already exists. Name a new file.`);
}

/** Leaves out the process files of a dead server. */
function isData(path: string): boolean {
  return !/^cluster\/postmaster\.(pid|opts)$/.test(path);
}

async function writeWhole(file: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${file}.${process.pid}.part`;
  try {
    await write(draft);
    await syncPath(draft);
    await rename(draft, file);
    await syncPath(dirname(resolve(file)));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function unpack(file: string, cwd: string): Promise<void> {
  try {
    // The files belong to the current user; as root, `clusterOwner` changes that.
    await extract({ file, cwd, strict: true, preserveOwner: false }, PARTS);
  } catch (cause) {
    throw noBackup(file, messageOf(cause), cause);
  }
}

/** Moves a restored draft into place. Moves the cluster last: a folder with a cluster is complete. */
async function moveIntoPlace(draft: DataFolder, folder: DataFolder): Promise<void> {
  await rename(draft.passwordFile, folder.passwordFile);
  // The user may have created an empty folder here, and not every system can rename a folder onto another.
  await rmdir(folder.cluster).catch(() => undefined);
  await rename(draft.cluster, folder.cluster);
  await syncPath(folder.root);
  await rm(draft.root, { recursive: true, force: true });
}

async function syncTree(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) await syncPath(join(entry.parentPath, entry.name));
  }
}

function unusable(folder: string, reason: string): OpenPostgresError {
  return new OpenPostgresError('folder_unusable', `The folder ${folder} ${reason}`);
}

function noBackup(file: string, reason: string, cause?: unknown): OpenPostgresError {
  return new OpenPostgresError('bad_backup', `${file} cannot be restored: ${reason}.`, { cause });
}
