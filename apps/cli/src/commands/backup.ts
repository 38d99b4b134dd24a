import { join, resolve } from 'node:path';
import { runInForeground } from '@macbatch/local-pool';
import { type BackupPlace, backUpEmbedded, OpenPostgresError, restoreEmbedded } from '@macbatch/postgres';
import { EXIT, Failure, printJson, printLine, type Terminal } from '@macbatch/terminal';
import type { Command } from 'commander';
import { addCommand } from './command-names.ts';
import { dataDirOf } from './up.ts';

interface BackupOptions {
  readonly dataDir?: string;
  readonly json?: boolean;
}

const DATA_DIR = [
  '--data-dir <dir>',
  'folder of the database (default: $MACBATCH_DATA_DIR or .macbatch)',
] as const;

/** Adds the commands `backup` and `restore`. */
export function addBackup(program: Command, terminal: Terminal): void {
  addCommand(program, 'backup')
    .option(...DATA_DIR)
    .option('--json', 'print JSON')
    .action(async (file: string, options: BackupOptions) => {
      const place = backupPlace(file, options, terminal);
      await asFailure(backUpEmbedded(place));
      if (options.json === true) return printJson(terminal.stdout, { file: place.file });
      return printLine(
        terminal.stderr,
        `${place.file} contains the database and its password: keep it secret.`,
      );
    });

  addCommand(program, 'restore')
    .option(...DATA_DIR)
    .option('--json', 'print JSON')
    .action(async (file: string, options: BackupOptions) => {
      const place = backupPlace(file, options, terminal);
      await asFailure(restoreEmbedded(place, (draftDir) => markRestored(draftDir, terminal)));
      if (options.json === true) return printJson(terminal.stdout, { data_dir: place.dataDir });
      return printLine(
        terminal.stderr,
        `${place.dataDir} contains the database of the backup. Start the control plane now.`,
      );
    });
}

function backupPlace(file: string, options: BackupOptions, terminal: Terminal): BackupPlace {
  if (options.dataDir === undefined && terminal.env['MACBATCH_DATABASE_URL'] !== undefined) {
    throw new Failure(
      EXIT.usage,
      'MACBATCH_DATABASE_URL names a Postgres that is not embedded: use pg_dump and pg_restore, then run macbatch-control restored.',
    );
  }
  return {
    dataDir: join(dataDirOf(options.dataDir, terminal), 'postgres'),
    file: resolve(terminal.cwd, file),
  };
}

/** Runs the control plane's program to prepare a restored database. */
async function markRestored(dataDir: string, terminal: Terminal): Promise<void> {
  const env = Object.fromEntries(
    Object.entries(terminal.env).filter(([name]) => !name.startsWith('MACBATCH_')),
  );
  const exitCode = await runInForeground(
    '@macbatch/control',
    { ...env, MACBATCH_DATA_DIR: dataDir },
    terminal,
    ['restored'],
  );
  if (exitCode !== 0)
    throw new Failure(EXIT.unavailable, 'The restored database does not start. Nothing was changed.');
}

async function asFailure(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof OpenPostgresError) throw new Failure(EXIT.usage, error.message);
    throw error;
  }
}
