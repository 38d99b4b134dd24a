import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';

/** Proxies as the usual variables name them: HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts that are reached directly, separated by commas. */
  readonly none?: string | undefined;
}

/** How a model server is reached. */
export interface ServerConnections {
  readonly dispatcher: Dispatcher;
  /** Host name and port of the proxy, for messages; null without one. */
  readonly proxy: string | null;
  /** Values that no message may contain. */
  readonly secrets: readonly string[];
}

const CONNECT_TIMEOUT_MS = 10_000;
/** A proxy elsewhere cannot reach this machine by these names. */
const OWN_NAMES = ['localhost', '127.0.0.1', '0.0.0.0', '::1'];
const LOCALHOST = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Opens the connections to a model server: directly, or through the proxy that is set for its protocol. Throws if the
 * URL of the proxy is none.
 */
export function serverConnections(
  isEncrypted: boolean,
  timeoutMs: number,
  proxies: ProxySettings = {},
): ServerConnections {
  // Half of the time limit, so that an unreachable server is not taken for a slow one.
  const timeout = Math.min(CONNECT_TIMEOUT_MS, Math.ceil(timeoutMs / 2));
  const connect = { timeout, lookup: lookupHost };
  const name = isEncrypted ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const set = (isEncrypted ? proxies.https : proxies.http) ?? '';
  if (set === '') return { dispatcher: new Agent({ connect }), proxy: null, secrets: [] };

  const uri = URL.parse(set.includes('://') ? set : `http://${set}`);
  if (uri === null || !['http:', 'https:'].includes(uri.protocol)) {
    throw new Error(`${name} is not the URL of a proxy, such as http://proxy.example:3128`);
  }
  const dispatcher = new EnvHttpProxyAgent({
    connect,
    connectTimeout: timeout,
    httpProxy: uri.href,
    httpsProxy: uri.href,
    noProxy: [proxies.none ?? '', ...OWN_NAMES].join(','),
  });
  return { dispatcher, proxy: uri.host, secrets: [decodeURIComponent(uri.password)] };
}

/** `localhost` is this machine over IPv4 and IPv6, regardless of its hosts file, because a server may listen on only one of them. */
const lookupHost: LookupFunction = (host, options, callback) => {
  if (host.toLowerCase() !== 'localhost') return lookup(host, options, callback);
  const wanted = LOCALHOST.filter(({ family }) => !options.family || familyNumber(options.family) === family);
  const [first] = wanted;
  if (options.all === true || first === undefined) callback(null, wanted);
  else callback(null, first.address, first.family);
};

function familyNumber(family: number | 'IPv4' | 'IPv6'): number {
  if (family === 'IPv4') return 4;
  return family === 'IPv6' ? 6 : family;
}
