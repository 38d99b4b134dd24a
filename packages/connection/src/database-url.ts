import { DatabaseUrlError } from './database-url-error.ts';
import { type Tls, tlsOf } from './tls.ts';

/** One of the servers that a Postgres URL names. */
export interface DatabaseHost {
  readonly url: URL;
  readonly tls: Tls;
}

/** What a Postgres URL says; it may name several servers, of which one takes writes at a time. */
export interface DatabaseAddress {
  /** In the order in which they are named. */
  readonly hosts: readonly DatabaseHost[];
  /** Hosts, ports and database for people to read: without user, password and query. */
  readonly description: string;
  readonly user: string;
  /** Whether statements may be prepared; undefined where the URL does not say. */
  readonly prepare: boolean | undefined;
  readonly connectSeconds: number | undefined;
}

/** Scheme, user and password, hosts, the rest. `URL` knows one host only. */
const PARTS = /^(postgres(?:ql)?:)(?:\/\/(?:([^/?#]*)@)?([^/?#]*))?([/?#].*)?$/;

const OURS = ['target_session_attrs', 'prepare', 'connect_timeout', 'sslmode', 'ssl', 'sslrootcert'];

/** We write, so other sessions than these are of no use. Which host takes writes is looked at anyway. */
const SESSIONS = ['any', 'read-write', 'primary'];

/** Reads a Postgres URL. Throws `DatabaseUrlError`. */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const [, scheme = '', login, hosts = '', rest = ''] = PARTS.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => {
    const one = `${scheme}//${login === undefined ? '' : `${login}@`}${host}${rest}`;
    if (scheme === '' || !URL.canParse(one) || (host === '' && hosts !== '')) throw unreadable();
    return new URL(one);
  });
  const [first] = urls;
  if (first === undefined) throw unreadable();
  const { searchParams, pathname } = first;
  const session = searchParams.get('target_session_attrs') ?? 'any';
  if (!SESSIONS.includes(session)) {
    throw new DatabaseUrlError(
      'target_session_attrs in the Postgres URL must be read-write, primary or any: macbatch writes.',
    );
  }
  const prepare = searchParams.get('prepare');
  if (prepare !== null && prepare !== 'true' && prepare !== 'false')
    throw new DatabaseUrlError('prepare in the Postgres URL must be true or false.');
  const connectSeconds = searchParams.get('connect_timeout');
  if (connectSeconds !== null && !(Number(connectSeconds) > 0))
    throw new DatabaseUrlError('connect_timeout in the Postgres URL must be a number of seconds above 0.');
  const named = urls.map((url) => ({ url, tls: tlsOf(url) }));
  // The driver would send what it does not know to the server as a setting.
  for (const url of urls) for (const name of OURS) url.searchParams.delete(name);
  return {
    hosts: named,
    description: `${urls.map((url) => url.host || 'localhost').join(',')}${pathname}`,
    user: decodeURIComponent(first.username),
    prepare: prepare === null ? undefined : prepare === 'true',
    connectSeconds: connectSeconds === null ? undefined : Number(connectSeconds),
  };
}

/** The same servers, another database. Its name must need no encoding: the driver does not decode it. */
export function withDatabase(text: string, database: string): string {
  parseDatabaseUrl(text);
  const [, scheme = '', login, hosts = '', rest = ''] = PARTS.exec(text) ?? [];
  const query = /[?#].*$/.exec(rest)?.[0] ?? '';
  return `${scheme}//${login === undefined ? '' : `${login}@`}${hosts}/${database}${query}`;
}

function unreadable(): DatabaseUrlError {
  return new DatabaseUrlError(
    'The Postgres URL cannot be read. It must look like postgres://user:password@host:5432/database; ' +
      'percent-encode special characters in the password. Several hosts are separated by commas.',
  );
}
