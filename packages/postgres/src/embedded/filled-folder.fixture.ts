import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withConnection } from '../admin-connection.ts';
import { openPostgres } from '../open-postgres.ts';
import { readPostmasterFile } from './postmaster.ts';
import { runProgram, type TestProgram } from './spawn.fixture.ts';

/** The row that `filledFolder` stores. */
export const KEPT = 'from the first start';

/** A data folder with data, whose embedded server is stopped. */
export interface FilledFolder {
  readonly folder: string;
  readonly cluster: string;
  /** Returns a path next to the folder. `remove` deletes it too. */
  beside(name: string): string;
  /** Starts a server on the folder, reads the data, and stops the server. */
  reopen(): Promise<string[]>;
  postmasterPid(): Promise<number>;
  remove(): Promise<void>;
}

/** Creates a data folder with data. */
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
      const reopened = await openPostgres({ dataDir: folder });
      try {
        return await readKept(reopened.url);
      } finally {
        await reopened.close();
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

/** Reads the rows that `filledFolder` stored. */
export async function readKept(url: string): Promise<string[]> {
  const rows = await withConnection(url, (sql) => sql<{ words: string }[]>`select words from kept`);
  return rows.map(({ words }) => words);
}

/** Starts a process that opens `folder`, or a throwaway server if there is no folder. */
export async function startOwner(...folder: string[]): Promise<{ owner: TestProgram; url: string }> {
  const owner = runProgram('owner', ...folder);
  const line: unknown = JSON.parse(await owner.line());
  if (typeof line === 'object' && line !== null && 'url' in line) return { owner, url: String(line.url) };
  throw new Error(`the owner did not start: ${JSON.stringify(line)}`);
}

/** Returns the process id of a process's parent. */
export async function parentOf(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    return Number(/^PPid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=', '-p', String(pid)]);
  return Number(stdout);
}
