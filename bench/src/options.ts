import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { messageOf } from '@macbatch/core';
import { BadOption } from './bad-option.ts';
import { ROWS } from './rows.ts';

export const HELP = `Usage: npm run bench -- [options]

Measures macbatch against graphile-worker and pg-boss on the same embedded Postgres.

  --row NAME    run only this row (repeatable): ${ROWS.map(({ name }) => name).join(', ')}
  --dir FOLDER  put the database into this folder (repeatable; default: the folder for temporary
                files, and /dev/shm if it exists)
  --rounds N    run each contestant this often (default 3)
  --quick       run for less than two minutes, only to check that everything works
  --json        print the results as JSON
  --write       also write the results to docs/benchmarks.md
  --help        print this text`;

export interface Options {
  readonly rows: readonly string[];
  readonly dirs: readonly string[];
  readonly rounds: number;
  readonly quick: boolean;
  readonly json: boolean;
  readonly write: boolean;
  readonly help: boolean;
}

/** Parses the command line. Throws `BadOption`. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parse(args);
  const unknown = values.row?.find((name) => !ROWS.some((row) => row.name === name));
  if (unknown !== undefined) {
    throw new BadOption(`There is no row ${unknown}. Rows: ${ROWS.map(({ name }) => name).join(', ')}.`);
  }
  const rounds = values.rounds === undefined ? (values.quick ? 1 : 3) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new BadOption('--rounds must be a whole number from 1.');
  return {
    rows: values.row ?? ROWS.map(({ name }) => name),
    dirs: values.dir ?? [tmpdir(), '/dev/shm'].filter((dir) => existsSync(dir)),
    rounds,
    quick: values.quick,
    json: values.json,
    write: values.write,
    help: values.help,
  };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        row: { type: 'string', multiple: true },
        dir: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        quick: flag,
        json: flag,
        write: flag,
        help: flag,
      },
    });
  } catch (error) {
    throw new BadOption(messageOf(error));
  }
}
