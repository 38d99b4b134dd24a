import { readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { OpenPostgresError } from '../open-postgres-error.ts';

/**
 * Creates the symbolic links between shared libraries that `native/pg-symlinks.json` lists.
 *
 * npm packages cannot contain links, so the install script of the package creates them. Package managers may block
 * that script.
 */
export async function restoreLinks(root: string): Promise<void> {
  for (const { source, target } of await listedLinks(root)) {
    const link = join(root, target);
    try {
      await symlink(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      if (isExisting(error)) continue;
      throw new OpenPostgresError(
        'no_binaries',
        `The embedded Postgres in ${root} lacks links between its libraries, and they cannot be created. ` +
          'Run its install script once as a user who can write there (pnpm rebuild, npm rebuild).',
        { cause: error },
      );
    }
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

async function listedLinks(root: string): Promise<Link[]> {
  const text = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed.filter(isLink) : [];
}

function isLink(value: unknown): value is Link {
  return (
    typeof value === 'object' &&
    value !== null &&
    'source' in value &&
    'target' in value &&
    typeof value.source === 'string' &&
    typeof value.target === 'string'
  );
}

// On a read-only file system, Linux answers EEXIST if the entry exists and EROFS if it does not.
function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}
