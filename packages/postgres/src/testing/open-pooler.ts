import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { probePort } from '../embedded/local-port.ts';
import { serverUser } from '../embedded/server-user.ts';

/** A PgBouncer in transaction mode. */
export interface Pooler {
  /** URL that reaches the database through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

/** Finds PgBouncer on this machine. Returns undefined if it is not installed. */
export function findPgBouncer(path: string | undefined): string | undefined {
  // Debian installs it in a folder that is only in root's PATH.
  return [...(path ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'pgbouncer'))
    .find((program) => {
      try {
        accessSync(program, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Starts PgBouncer in front of the database at `url`. `settings` are lines of its configuration file. */
export async function openPooler(
  program: string,
  url: string,
  settings: readonly string[] = [],
): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const poolerPort = await probePort(0);
  if (poolerPort === undefined) throw new Error('there is no free port');
  const folder = await mkdtemp(join(tmpdir(), 'macbatch-pooler-'));
  const file = join(folder, 'pgbouncer.ini');
  const login = `user=${username} password=${decodeURIComponent(password)}`;
  const lines = [
    '[databases]',
    `pooled = host=${hostname} port=${port} dbname=${pathname.slice(1)} ${login}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${poolerPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 8',
    'max_client_conn = 200',
    ...settings,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  await chmod(folder, 0o755);
  // PgBouncer refuses to run as root.
  const user = await serverUser();
  const child = spawn(program, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const log: string[] = [];
  const up = Promise.withResolvers<void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(line);
    if (line.includes('process up')) up.resolve();
  });
  const failed = ended.then(() => {
    throw new Error(`PgBouncer did not start:\n${log.join('\n')}`);
  });
  await Promise.race([up.promise, failed]);
  failed.catch(() => undefined); // `close` kills PgBouncer. That must not become an unhandled rejection.
  return {
    url: `postgres://anybody@127.0.0.1:${poolerPort}/pooled`,
    async close() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
