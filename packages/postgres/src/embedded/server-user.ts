import { readFile } from 'node:fs/promises';

/** The user that runs the server. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const CANDIDATES = ['postgres', '_postgres', 'nobody'];
const OVERFLOW_ID = 65_534;

/**
 * Chooses the user that runs the server if this process is root, because Postgres refuses to run as root. Returns
 * undefined if this process is not root.
 */
export async function serverUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return pickServerUser(passwd) ?? { uid: OVERFLOW_ID, gid: OVERFLOW_ID };
}

/** Picks the user from the text of `/etc/passwd`. */
export function pickServerUser(passwd: string): ServerUser | undefined {
  const users = new Map(
    passwd.split('\n').map((line) => {
      const [name = '', , uid, gid] = line.split(':');
      return [name, { uid: Number(uid), gid: Number(gid) }];
    }),
  );
  return CANDIDATES.map((name) => users.get(name)).find(
    // On macOS the id of `nobody` is -2, which chown and spawn do not accept.
    (user) => user !== undefined && user.uid > 0 && user.gid > 0,
  );
}
