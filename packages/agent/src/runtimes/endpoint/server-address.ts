/** The URL of a model server, taken apart. */
export interface ServerAddress {
  /** Host name and port, for messages. */
  readonly host: string;
  readonly isEncrypted: boolean;
  /** The URL of a path below the API's base URL, with the query of the base URL. */
  url(path: string): string;
  /** The same below the server's root: Ollama's own API is not below `/v1`. */
  rootUrl(path: string): string;
  /** Values of query parameters, but of versions. Some services expect a key there. */
  readonly queryValues: readonly string[];
}

/** Paths that are added to a base URL. People also copy the whole URL of a request. */
const REQUEST_PATH = /\/(chat\/completions|completions|embeddings|responses|messages|models)$/;

/**
 * Parses the base URL of an API, or the URL of one of its requests. Throws if it is not a URL. The message contains no part
 * that can be secret.
 */
export function serverAddress(url: string): ServerAddress {
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new Error('the URL of a model server must begin with http:// or https://');
  }
  const { host, origin, pathname, search, searchParams, protocol } = parsed;
  if (parsed.username !== '' || parsed.password !== '') {
    throw new Error(
      `the URL of the model server ${host} must not contain a password: set its key or a header instead`,
    );
  }
  const base = `${origin}${pathname.replace(/\/+$/, '').replace(REQUEST_PATH, '')}`;
  return {
    host,
    isEncrypted: protocol === 'https:',
    url: (path) => `${base}${path}${search}`,
    rootUrl: (path) => `${base.replace(/\/v1$/, '')}${path}${search}`,
    queryValues: [...searchParams].filter(([name]) => !/version/i.test(name)).map(([, value]) => value),
  };
}
