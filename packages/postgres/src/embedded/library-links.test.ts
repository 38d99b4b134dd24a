import { mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restoreLinks } from './library-links.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'macbatch-test-'));
  await mkdir(join(root, 'native', 'lib'), { recursive: true });
});
afterEach(() => rm(root, { recursive: true }));

describe('restoreLinks', () => {
  it('creates links that are missing, and leaves existing ones alone', async () => {
    const listed = [
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
    ];
    await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(listed));
    await Promise.all([restoreLinks(root), restoreLinks(root)]);
    await restoreLinks(root);
    expect(await readlink(join(root, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
    expect(await readlink(join(root, 'native', 'lib', 'libpq.so'))).toBe('libpq.so.5.18');
  });

  it('accepts a package without links', async () => {
    await restoreLinks(root);
  });
});
