import { relative } from 'node:path';
import type { PackageSource } from './package-source.ts';
import type { ManagerKind } from './service-paths.ts';

export interface InstallFacts {
  readonly kind: ManagerKind;
  readonly boot: boolean;
  readonly userId: number;
  /** The user who called sudo. */
  readonly sudoUser: string | null;
  readonly home: string;
  readonly program: string;
  readonly source: PackageSource;
  readonly stateFolder: string;
  /** Whether the worker has joined a control plane. */
  readonly joined: boolean;
}

/** Folders that macOS protects from programs without a window. */
const PRIVATE_FOLDERS = ['Downloads', 'Documents', 'Desktop', 'Library/Mobile Documents'];

/** Says why the service cannot be installed, with what to do; null if it can. */
export function installRefusal(facts: InstallFacts): string | null {
  const { kind, boot, userId, sudoUser, home, program, source, stateFolder, joined } = facts;
  if (userId === 0 && sudoUser !== null)
    return `Run this without sudo, as ${sudoUser}: the worker must not run as root. With --boot, it asks for a password itself.`;
  if (userId === 0 && (!boot || kind === 'launchd'))
    return 'root has no services of its own. Run this as the user of the worker; with --boot, it starts without a login.';
  if (source.kind === 'npx_cache')
    return 'This macbatch is in the cache of npx, which npm empties. Install it first: npm install --global macbatch';
  for (const [what, path] of [
    ['macbatch', program],
    ['the folder of the worker', stateFolder],
  ] as const) {
    const folder = kind === 'launchd' && PRIVATE_FOLDERS.find((name) => isInside(path, `${home}/${name}`));
    if (folder)
      return `macOS keeps services out of ~/${folder}, and ${what} is there: ${path}. Move it, or install macbatch with: npm install --global macbatch`;
  }
  const odd = [program, stateFolder, home].find((path) => /\p{Cc}/u.test(path));
  if (odd !== undefined) return `A path contains a control character: ${JSON.stringify(odd)}`;
  if (!joined)
    return 'This machine has not joined a control plane. First: macbatch worker join URL --token T (macbatch keys invite prints a line that does all of it)';
  return null;
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && !way.startsWith('/'));
}
