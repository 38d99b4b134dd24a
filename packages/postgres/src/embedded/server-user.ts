import { readFile } from 'node:fs/promises';

/** A user to run the server as. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', '_postgres', 'nobody'];
const OVERFLOW_ID = 65_534;

/**
 * Whom to run the server as: Postgres refuses to run as root.
 *
 * @returns undefined when this process is not root, and so runs it as itself
 */
export async function serverUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return pickServerUser(passwd) ?? { uid: OVERFLOW_ID, gid: OVERFLOW_ID };
}

/** @param passwd text of `/etc/passwd` */
export function pickServerUser(passwd: string): ServerUser | undefined {
  const users = new Map(
    passwd.split('\n').map((line) => {
      const [name = '', , uid, gid] = line.split(':');
      return [name, { uid: Number(uid), gid: Number(gid) }];
    }),
  );
  return CANDIDATES.map((name) => users.get(name)).find(
    // macOS has `nobody` as -2, which neither chown nor spawn take.
    (user) => user !== undefined && user.uid > 0 && user.gid > 0,
  );
}
