import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withConnection } from '../admin-connection.ts';
import { openPostgres } from '../open-postgres.ts';
import { readPostmasterFile } from './postmaster.ts';
import { runProgram, type TestProgram } from './spawn.fixture.ts';

/** A row that is in every folder of `filledFolder`. */
export const KEPT = 'from the first start';

/** A data folder of an embedded server that is down and has data. */
export interface FilledFolder {
  readonly folder: string;
  readonly cluster: string;
  /** A path beside it that goes with it. */
  beside(name: string): string;
  /** Opens it, reads the data, and closes it again. */
  reopen(): Promise<string[]>;
  postmasterPid(): Promise<number>;
  remove(): Promise<void>;
}

export async function filledFolder(): Promise<FilledFolder> {
  const parent = await mkdtemp(join(tmpdir(), 'macbatch-test-'));
  const folder = join(parent, 'data');
  const cluster = join(folder, 'cluster');
  const server = await openPostgres({ dataDir: folder });
  await withConnection(server.url, async (sql) => {
    await sql`create table kept (words text)`;
    await sql`insert into kept values (${KEPT})`;
  });
  await server.close();
  return {
    folder,
    cluster,
    beside: (name) => join(parent, name),
    reopen: async () => {
      const again = await openPostgres({ dataDir: folder });
      try {
        return await readKept(again.url);
      } finally {
        await again.close();
      }
    },
    postmasterPid: async () => {
      const file = await readPostmasterFile(cluster);
      if (file === undefined) throw new Error('no server runs');
      return file.pid;
    },
    remove: () => rm(parent, { recursive: true, force: true }),
  };
}

export async function readKept(url: string): Promise<string[]> {
  const rows = await withConnection(url, (sql) => sql<{ words: string }[]>`select words from kept`);
  return rows.map(({ words }) => words);
}

/** Another process that opens `folder`, or a throwaway server without one. */
export async function startOwner(...folder: string[]): Promise<{ owner: TestProgram; url: string }> {
  const owner = runProgram('owner', ...folder);
  const said: unknown = JSON.parse(await owner.line());
  if (typeof said === 'object' && said !== null && 'url' in said) return { owner, url: String(said.url) };
  throw new Error(`the owner did not start: ${JSON.stringify(said)}`);
}

export async function parentOf(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    return Number(/^PPid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=', '-p', String(pid)]);
  return Number(stdout);
}
