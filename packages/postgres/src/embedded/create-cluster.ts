import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, open, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { type Binaries, programOf } from './binaries.ts';
import { clusterArgument } from './cluster-location.ts';
import { type DataFolder, DRAFT_PREFIX } from './data-folder.ts';
import { SERVER_ENVIRONMENT } from './server-environment.ts';
import type { ServerUser } from './server-user.ts';
import { syncPath } from './sync-path.ts';

/** The only role of an embedded server: its superuser. */
export const ROLE = 'macbatch';

const run = promisify(execFile);

export interface NewCluster {
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
  /** Whether the cluster must survive a power failure. */
  readonly durable: boolean;
}

/**
 * Runs initdb in a draft folder and renames the result. An interrupted run leaves only a draft.
 *
 * @returns the password of the role
 */
export async function createCluster(
  folder: DataFolder,
  { binaries, user, durable }: NewCluster,
): Promise<string> {
  const password = await ensurePassword(folder);
  const draft = await mkdtemp(join(folder.root, DRAFT_PREFIX));
  const data = join(draft, 'data');
  const passwordFile = join(draft, 'password');
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) {
    for (const path of [draft, data, passwordFile]) await chown(path, user.uid, user.gid);
  }
  const argument = await clusterArgument(data, user);
  await initdb(programOf(binaries, 'initdb'), data, user, [
    `--pgdata=${argument}`,
    `--username=${ROLE}`,
    // Not joined: the system must resolve the dots, because the argument may be a symbolic link.
    `--pwfile=${argument}/../password`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ]);
  // The user may have created an empty folder here, and not every system can rename a folder onto another.
  await rmdir(folder.cluster).catch(() => undefined);
  await rename(data, folder.cluster);
  if (durable) await syncPath(folder.root);
  await rm(draft, { recursive: true, force: true });
  return password;
}

/** Reads the password of the role from the data folder. */
export async function readPassword(folder: DataFolder): Promise<string> {
  try {
    return await readFile(folder.passwordFile, 'utf8');
  } catch (cause) {
    throw new OpenPostgresError(
      'folder_unusable',
      `The data folder ${folder.root} contains a cluster, but its file "password" is missing or unreadable. ` +
        'Restore that file, or start macbatch as the user who created it.',
      { cause },
    );
  }
}

async function ensurePassword(folder: DataFolder): Promise<string> {
  const existing = await readFile(folder.passwordFile, 'utf8').catch(() => '');
  if (existing !== '') return existing;
  const password = randomBytes(24).toString('base64url');
  const file = await open(folder.passwordFile, 'w', 0o600);
  try {
    await file.writeFile(password);
    await file.sync();
  } finally {
    await file.close();
  }
  return password;
}

async function initdb(
  program: string,
  data: string,
  user: ServerUser | undefined,
  args: readonly string[],
): Promise<void> {
  try {
    await run(program, args, { cwd: data, env: SERVER_ENVIRONMENT, ...user });
  } catch (cause) {
    const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
    throw new OpenPostgresError(
      'initdb_failed',
      `The embedded Postgres could not set up ${data}: ${output}`,
      {
        cause,
      },
    );
  }
}
