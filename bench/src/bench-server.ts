import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgres } from '@macbatch/postgres';
import { migrate } from '@macbatch/store';
import postgres from 'postgres';

/** Clock ticks per second in /proc: the same on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

/** The embedded Postgres with its durable settings, in its own folder. */
export interface BenchServer extends AsyncDisposable {
  /** The parent of the data folder. */
  readonly dir: string;
  readonly version: string;
  /** Creates a database: empty, or with macbatch's schema. */
  database(kind: 'empty' | 'product'): Promise<BenchDatabase>;
  /** CPU seconds that Postgres has used so far. Null on systems without /proc. */
  cpuSeconds(): Promise<number | null>;
  /**
   * Returns the number of buffers of each statement that `work` runs through the URL it gets, as auto_explain logs
   * them. Empty if the server has no auto_explain.
   */
  buffersOf(url: string, work: (url: string) => Promise<void>): Promise<number[]>;
}

interface BenchDatabase extends AsyncDisposable {
  readonly url: string;
  /** A client for measurements outside the store. */
  readonly sql: postgres.Sql;
}

const EXPLAIN = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
};

const TEMPLATE = 'bench_template';

/** Starts an embedded Postgres with a template database. */
export async function openBenchServer(dir: string): Promise<BenchServer> {
  const dataDir = await mkdtemp(join(dir, 'macbatch-bench-'));
  const log: string[] = [];
  const server = await openPostgres({ dataDir, log: (line) => log.push(line) });
  const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
  const at = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  await admin`create database ${admin(TEMPLATE)}`;
  await migrate(at(TEMPLATE));
  const [facts] = await admin<{ version: string; pid: number }[]>`
    select current_setting('server_version') as version, pg_backend_pid() as pid`;
  const postmaster = await parentOf(facts?.pid ?? 0);
  let databases = 0;
  return {
    dir,
    version: facts?.version ?? 'unknown',
    async database(kind) {
      databases += 1;
      const name = `bench_${databases}`;
      if (kind === 'product') await admin`create database ${admin(name)} template ${admin(TEMPLATE)}`;
      else await admin`create database ${admin(name)}`;
      await admin`checkpoint`;
      const sql = postgres(at(name), { max: 4, onnotice: () => undefined });
      return {
        url: at(name),
        sql,
        async [Symbol.asyncDispose]() {
          await sql.end({ timeout: 5 });
          await admin`drop database ${admin(name)} with (force)`;
        },
      };
    },
    async buffersOf(url, work) {
      log.length = 0;
      const explained = new URL(url);
      for (const [name, value] of Object.entries(EXPLAIN)) explained.searchParams.set(name, value);
      await work(explained.href);
      // The log arrives later, through another pipe.
      await new Promise((resolve) => setTimeout(resolve, 300));
      return topBuffers(log);
    },
    cpuSeconds: () => (postmaster === null ? Promise.resolve(null) : treeCpuSeconds(postmaster)),
    async [Symbol.asyncDispose]() {
      await admin.end({ timeout: 5 });
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Reads the first buffer count of each plan in a log. It is that of the top node, which includes the other nodes. */
function topBuffers(log: readonly string[]): number[] {
  const found: number[] = [];
  let open = false;
  for (const line of log) {
    if (/duration: .* plan:/.test(line)) open = true;
    const buffers = open ? /Buffers: shared (.*)/.exec(line)?.[1] : undefined;
    if (buffers === undefined) continue;
    open = false;
    found.push(
      [...buffers.matchAll(/(?:hit|read)=(\d+)/g)].reduce((total, match) => total + Number(match[1]), 0),
    );
  }
  return found;
}

interface ProcessTimes {
  readonly parent: number;
  readonly own: number;
  /** CPU seconds of children that have ended. */
  readonly children: number;
}

async function timesOf(pid: string | number): Promise<ProcessTimes | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const sum = (...at: number[]) => at.reduce((total, i) => total + (fields[i] ?? 0), 0) / TICKS_PER_SECOND;
  return { parent: fields[1] ?? 0, own: sum(11, 12), children: sum(13, 14) };
}

async function parentOf(pid: number): Promise<number | null> {
  return (await timesOf(pid))?.parent ?? null;
}

async function treeCpuSeconds(postmaster: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(pids.map(timesOf));
  const main = await timesOf(postmaster);
  return all.reduce(
    (total, times) => total + (times?.parent === postmaster ? times.own : 0),
    (main?.own ?? 0) + (main?.children ?? 0),
  );
}
