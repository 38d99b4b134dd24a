import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDatabase } from '@macbatch/postgres/testing';
import postgres from 'postgres';
import { expect, inject, it } from 'vitest';
import { migrate } from './migrate.ts';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));

it('R4: three control planes that start at the same time migrate an empty database once', async () => {
  const database = await createDatabase(inject('postgresUrl'), `migrated_${process.pid}`);
  await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
  await migrate(database.url);
  const sql = postgres(database.url, { max: 1 });
  const applied = await sql`select hash from drizzle.__drizzle_migrations`;
  const files = (await readdir(join(PACKAGE, 'migrations'))).filter((name) => name.endsWith('.sql'));
  await sql.end();
  await database.drop();
  expect(applied).toHaveLength(files.length);
});

it('A2: drizzle-kit generates no migration, because the migrations match the schema', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'macbatch-migrations-'));
  try {
    await cp(join(PACKAGE, 'migrations'), join(folder, 'migrations'), { recursive: true });
    await writeFile(
      join(folder, 'drizzle.config.json'),
      JSON.stringify({
        dialect: 'postgresql',
        schema: join(PACKAGE, 'src/database/schema.ts'),
        out: './migrations',
      }),
    );
    const kit = join(dirname(createRequire(import.meta.url).resolve('drizzle-kit')), 'bin.cjs');
    const run = (command: string) =>
      promisify(execFile)(process.execPath, [kit, command, '--config', 'drizzle.config.json'], {
        cwd: folder,
      });
    const before = await readdir(join(folder, 'migrations'));
    const { stdout } = await run('generate');
    expect(stdout).toContain('No schema changes');
    expect(await readdir(join(folder, 'migrations'))).toEqual(before);
    await run('check');
    expect(await readFile(join(folder, 'migrations/meta/_journal.json'), 'utf8')).toBe(
      await readFile(join(PACKAGE, 'migrations/meta/_journal.json'), 'utf8'),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
