import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { type Binaries, programOf } from './binaries.ts';
import { closedParent } from './closed-parent.ts';
import type { ServerUser } from './server-user.ts';

/** Only root can write here; everybody can read. */
const SYSTEM_CACHE = '/var/cache/macbatch';

/**
 * Returns programs that `user` can run: the given ones, or a copy of them.
 *
 * In containers a checkout is often below /root, which other users cannot enter. Copies are made once for each version.
 */
export async function reachableBinaries(
  binaries: Binaries,
  user: ServerUser | undefined,
  cache = SYSTEM_CACHE,
): Promise<Binaries> {
  if (user === undefined || (await canRun(binaries, user))) return binaries;
  const copied = { ...binaries, root: join(cache, `postgres-${binaries.version}`) };
  if (await canRun(copied, user)) return copied;
  try {
    await copyBinaries(binaries.root, copied.root, cache);
  } catch (cause) {
    throw unreachable(binaries, user, cache, cause);
  }
  if (await canRun(copied, user)) return copied;
  throw unreachable(binaries, user, cache);
}

async function canRun(binaries: Binaries, user: ServerUser): Promise<boolean> {
  try {
    return (await closedParent(programOf(binaries, 'postgres'), user)) === undefined;
  } catch {
    return false;
  }
}

async function copyBinaries(from: string, to: string, cache: string): Promise<void> {
  await mkdir(cache, { recursive: true, mode: 0o755 });
  const draft = await mkdtemp(join(cache, 'copying-'));
  try {
    await cp(join(from, 'native'), join(draft, 'root', 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await rm(to, { recursive: true, force: true });
    await rename(join(draft, 'root'), to);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function unreachable(
  binaries: Binaries,
  user: ServerUser,
  cache: string,
  cause?: unknown,
): OpenPostgresError {
  return new OpenPostgresError(
    'no_binaries',
    `Postgres refuses to run as root, and user id ${user.uid} can run neither the embedded one in ` +
      `${binaries.root} nor a copy in ${cache}. Start macbatch as another user, or install it where ` +
      'everybody can read it.',
    { cause },
  );
}
