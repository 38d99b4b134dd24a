import { createWriteStream } from 'node:fs';
import { access, chmod, mkdtemp, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '@macbatch/core';
import { create, extract } from 'tar';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { findBinaries } from './binaries.ts';
import { type DataFolder, DRAFT_PREFIX, hasCluster, openDataFolder, removeDrafts } from './data-folder.ts';
import { claimFolder } from './folder-claim.ts';
import { stopOrphan } from './postmaster.ts';

const PARTS = ['password', 'cluster'];

export interface BackupPlace {
  /** The folder of an embedded server. */
  readonly dataDir: string;
  /** A gzipped tar file. It holds the database's password: keep it as you keep the database. */
  readonly file: string;
}

/**
 * Copies an embedded server's data, of which nobody may be the owner meanwhile, into a new file. The file
 * appears whole or not at all.
 *
 * @throws {OpenPostgresError} where the folder holds no data or is in use
 */
export async function backUpEmbedded({ dataDir, file }: BackupPlace): Promise<void> {
  await requireData(dataDir);
  const folder = await openDataFolder(dataDir, (await findBinaries()).major);
  await requireAbsent(file);
  const claim = await claimFolder(folder.root);
  try {
    await stopOrphan(folder.cluster);
    await writeWhole(file, (draft) =>
      pipeline(
        create({ cwd: folder.root, gzip: true, strict: true, filter: isData }, PARTS),
        createWriteStream(draft, { flags: 'wx', mode: 0o600 }),
      ),
    );
  } finally {
    await claim.release();
  }
}

/**
 * Fills a folder without data from a backup.
 *
 * @param prepare is given the data as a folder of its own, on which a server may be run, before they take
 *   their place; where it rejects, nothing has changed
 * @throws {OpenPostgresError} where the folder holds data or is in use, or the backup can't be used
 */
export async function restoreEmbedded(
  { dataDir, file }: BackupPlace,
  prepare: (draftDir: string) => Promise<void>,
): Promise<void> {
  const { major } = await findBinaries();
  await access(file);
  const folder = await openDataFolder(dataDir, major);
  const claim = await claimFolder(folder.root);
  try {
    if (await hasCluster(folder))
      throw unusable(folder.root, 'holds a database already. Move it away first.');
    await removeDrafts(folder);
    const path = await mkdtemp(join(folder.root, DRAFT_PREFIX));
    // A server run as another user must pass through.
    if (process.getuid?.() === 0) await chmod(path, 0o711);
    await unpack(resolve(file), path);
    const draft = await openDataFolder(path, major);
    if (!(await hasCluster(draft))) throw noBackup(file, 'it holds no database');
    await prepare(draft.root);
    await syncTree(draft.root);
    await takePlace(draft, folder);
  } finally {
    await claim.release();
  }
}

async function requireData(dataDir: string): Promise<void> {
  const found = await stat(join(dataDir, 'cluster', 'PG_VERSION')).catch(() => undefined);
  if (found === undefined)
    throw unusable(dataDir, 'holds no database. Name the one that the control plane uses.');
}

async function requireAbsent(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined)
    throw new OpenPostgresError('bad_backup', `${file} is there already. Name a new file.`);
}

/** What a dead server left of itself says nothing of the data. */
function isData(path: string): boolean {
  return !/^cluster\/postmaster\.(pid|opts)$/.test(path);
}

async function writeWhole(file: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${file}.${process.pid}.part`;
  try {
    await write(draft);
    await sync(draft);
    await rename(draft, file);
    await sync(dirname(resolve(file)));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function unpack(file: string, cwd: string): Promise<void> {
  try {
    // The owner is whoever restores it; as root, whom the server then runs as.
    await extract({ file, cwd, strict: true, preserveOwner: false }, PARTS);
  } catch (cause) {
    throw noBackup(file, messageOf(cause), cause);
  }
}

/** The cluster comes last: a folder that has one is complete. */
async function takePlace(draft: DataFolder, folder: DataFolder): Promise<void> {
  await rename(draft.passwordFile, folder.passwordFile);
  // An empty one may be there, made by a person; a folder can't be renamed onto it everywhere.
  await rmdir(folder.cluster).catch(() => undefined);
  await rename(draft.cluster, folder.cluster);
  await sync(folder.root);
  await rm(draft.root, { recursive: true, force: true });
}

async function syncTree(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) await sync(join(entry.parentPath, entry.name));
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function unusable(folder: string, reason: string): OpenPostgresError {
  return new OpenPostgresError('folder_unusable', `The folder ${folder} ${reason}`);
}

function noBackup(file: string, reason: string, cause?: unknown): OpenPostgresError {
  return new OpenPostgresError('bad_backup', `${file} can't be restored: ${reason}.`, { cause });
}
