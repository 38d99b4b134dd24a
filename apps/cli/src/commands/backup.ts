import { join, resolve } from 'node:path';
import { runInPlace } from '@macbatch/local-pool';
import { type BackupPlace, backUpEmbedded, OpenPostgresError, restoreEmbedded } from '@macbatch/postgres';
import { EXIT, Failure, say, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { dataDirOf } from './up.ts';

interface BackupOptions {
  readonly dataDir?: string;
}

const DATA_DIR = [
  '--data-dir <dir>',
  'folder of the database (default: $MACBATCH_DATA_DIR or .macbatch)',
] as const;

export function addBackup(program: Command, terminal: Terminal): void {
  program
    .command('backup <file>')
    .description('copy the embedded database, whose control plane is stopped, into a new file')
    .option(...DATA_DIR)
    .action(async (file: string, options: BackupOptions) => {
      const place = placeOf(file, options, terminal);
      await told(backUpEmbedded(place));
      say(terminal.stderr, `${place.file} holds the database, its password included: keep it to yourself.`);
    });

  program
    .command('restore <file>')
    .description('fill the folder of an embedded database, which must have none yet, from a backup')
    .option(...DATA_DIR)
    .action(async (file: string, options: BackupOptions) => {
      const place = placeOf(file, options, terminal);
      await told(restoreEmbedded(place, (draftDir) => markRestored(draftDir, terminal)));
      say(
        terminal.stderr,
        `${place.dataDir} is as it was at the time of the backup. Start the control plane.`,
      );
    });
}

function placeOf(file: string, options: BackupOptions, terminal: Terminal): BackupPlace {
  if (options.dataDir === undefined && terminal.env['MACBATCH_DATABASE_URL'] !== undefined) {
    throw new Failure(
      EXIT.usage,
      'MACBATCH_DATABASE_URL names a Postgres that is not embedded: use its pg_dump and pg_restore, then run macbatch-control restored.',
    );
  }
  return {
    dataDir: join(dataDirOf(options.dataDir, terminal), 'postgres'),
    file: resolve(terminal.cwd, file),
  };
}

/** Has the program that knows the tables make restored data ready to be served. */
async function markRestored(dataDir: string, terminal: Terminal): Promise<void> {
  const env = Object.fromEntries(
    Object.entries(terminal.env).filter(([name]) => !name.startsWith('MACBATCH_')),
  );
  const ended = await runInPlace('@macbatch/control', { ...env, MACBATCH_DATA_DIR: dataDir }, terminal, [
    'restored',
  ]);
  if (ended !== 0)
    throw new Failure(EXIT.unavailable, 'The restored database does not start. Nothing was changed.');
}

async function told(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof OpenPostgresError) throw new Failure(EXIT.usage, error.message);
    throw error;
  }
}
