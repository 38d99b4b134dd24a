/** A Postgres URL that can't be used. Its text stays out of the message: it may hold a password. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}

/** What a Postgres URL says; it may name several servers, of which one takes writes at a time. */
export interface DatabaseAddress {
  /** A URL for each host, in the order in which they are named. */
  readonly urls: readonly URL[];
  /** Hosts, ports and database for people to read: without user, password and query. */
  readonly description: string;
  readonly user: string;
  /** Whether statements may be prepared; undefined where the URL does not say. */
  readonly prepare: boolean | undefined;
  readonly connectSeconds: number | undefined;
}

/** Scheme, user and password, hosts, the rest. `URL` knows one host only. */
const PARTS = /^(postgres(?:ql)?:)(?:\/\/(?:([^/?#]*)@)?([^/?#]*))?([/?#].*)?$/;

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
  // The driver would send what it does not know to the server as a setting.
  for (const url of urls)
    for (const name of ['target_session_attrs', 'prepare', 'connect_timeout']) url.searchParams.delete(name);
  return {
    urls,
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
