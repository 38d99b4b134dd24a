import { DatabaseUrlError } from './database-url-error.ts';
import { type Tls, tlsOf } from './tls.ts';

/** One of the hosts in a Postgres URL. */
export interface DatabaseHost {
  readonly url: URL;
  readonly tls: Tls;
}

/** A parsed Postgres URL. It can name several hosts. Only one of them accepts writes at a time. */
export interface DatabaseAddress {
  /** In the order of the URL. */
  readonly hosts: readonly DatabaseHost[];
  /** Hosts, ports and database, for messages: without user, password and query. */
  readonly description: string;
  readonly user: string;
  /** Whether statements are prepared; undefined when the URL does not say. */
  readonly prepare: boolean | undefined;
  readonly connectSeconds: number | undefined;
}

/** Scheme, user and password, hosts, rest. `URL` accepts only one host. */
const PARTS = /^(postgres(?:ql)?:)(?:\/\/(?:([^/?#]*)@)?([^/?#]*))?([/?#].*)?$/;

/** Parameters that this package reads. The driver would send them to the server as settings. */
const OWN_PARAMETERS = [
  'target_session_attrs',
  'prepare',
  'connect_timeout',
  'sslmode',
  'ssl',
  'sslrootcert',
];

/** The values of `target_session_attrs` that allow writes. `Database` looks for the writable host in any case. */
const WRITABLE_SESSIONS = ['any', 'read-write', 'primary'];

/**
 * Parses a Postgres URL.
 *
 * @throws {DatabaseUrlError}
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const [, scheme = '', login, hosts = '', rest = ''] = PARTS.exec(text) ?? [];
  const urls = hosts.split(',').map((host) => {
    const url = `${scheme}//${login === undefined ? '' : `${login}@`}${host}${rest}`;
    if (scheme === '' || !URL.canParse(url) || (host === '' && hosts !== '')) throw invalidUrl();
    return new URL(url);
  });
  const [first] = urls;
  if (first === undefined) throw invalidUrl();
  const { searchParams, pathname } = first;
  const session = searchParams.get('target_session_attrs') ?? 'any';
  if (!WRITABLE_SESSIONS.includes(session)) {
    throw new DatabaseUrlError(
      'target_session_attrs in the Postgres URL must be read-write, primary or any, because macbatch writes.',
    );
  }
  const prepare = searchParams.get('prepare');
  if (prepare !== null && prepare !== 'true' && prepare !== 'false')
    throw new DatabaseUrlError('prepare in the Postgres URL must be true or false.');
  const connectSeconds = searchParams.get('connect_timeout');
  if (connectSeconds !== null && !(Number(connectSeconds) > 0))
    throw new DatabaseUrlError('connect_timeout in the Postgres URL must be a number of seconds above 0.');
  const named = urls.map((url) => ({ url, tls: tlsOf(url) }));
  for (const url of urls) for (const name of OWN_PARAMETERS) url.searchParams.delete(name);
  return {
    hosts: named,
    description: `${urls.map((url) => url.host || 'localhost').join(',')}${pathname}`,
    user: decodeURIComponent(first.username),
    prepare: prepare === null ? undefined : prepare === 'true',
    connectSeconds: connectSeconds === null ? undefined : Number(connectSeconds),
  };
}

/** Replaces the database in a URL. The driver does not decode the name, so it must need no percent-encoding. */
export function withDatabase(text: string, database: string): string {
  parseDatabaseUrl(text);
  const [, scheme = '', login, hosts = '', rest = ''] = PARTS.exec(text) ?? [];
  const query = /[?#].*$/.exec(rest)?.[0] ?? '';
  return `${scheme}//${login === undefined ? '' : `${login}@`}${hosts}/${database}${query}`;
}

function invalidUrl(): DatabaseUrlError {
  return new DatabaseUrlError(
    'The Postgres URL cannot be read. It must look like postgres://user:password@host:5432/database; ' +
      'percent-encode special characters in the password. Several hosts are separated by commas.',
  );
}
