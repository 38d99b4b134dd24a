import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { findSecretText, messageOf, parseSecretText } from '@macbatch/core';
import { ConfigError, type ConnectionConfig } from '@macbatch/settings';
import { isLoopback } from './loopback.ts';

type Connection = Partial<ConnectionConfig>;

/**
 * Reads the key from its variable or its file; undefined if neither is set. The file may be the whole output of the
 * command that printed the key. Throws `ConfigError`, which never contains the value.
 */
export function keyOf(env: Connection): string | undefined {
  const { MACBATCH_KEY: key, MACBATCH_KEY_FILE: file } = env;
  if (key !== undefined) {
    if (parseSecretText('mbk', key.trim()) === null)
      throw new ConfigError([
        'MACBATCH_KEY: is not a key. Keys begin with mbk_, and macbatch keys create prints them',
      ]);
    return key.trim();
  }
  if (file === undefined) return undefined;
  const found = findSecretText('mbk', readText('MACBATCH_KEY_FILE', file));
  if (found === null)
    throw new ConfigError([
      `MACBATCH_KEY_FILE: the file must contain one key. Keys begin with mbk_, and macbatch keys create prints them`,
    ]);
  return found;
}

/**
 * Makes TLS connections of this process also trust the certificates of `MACBATCH_CA_FILE`. Throws `ConfigError`
 * when the file cannot be read.
 */
export function trustCertificates(env: Connection): void {
  const { MACBATCH_CA_FILE: file } = env;
  if (file === undefined) return;
  const pem = readText('MACBATCH_CA_FILE', file);
  // Missing in Node 23 and in Node 24 before 24.5.
  if (!('setDefaultCACertificates' in tls))
    throw new ConfigError([
      `MACBATCH_CA_FILE: Node ${process.versions.node} cannot use it. Set NODE_EXTRA_CA_CERTS to the same file instead, or upgrade to Node 24.5 or newer.`,
    ]);
  try {
    new X509Certificate(pem); // the next line would ignore a file without a certificate
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), pem]);
  } catch (error) {
    throw new ConfigError([`MACBATCH_CA_FILE: ${messageOf(error)}`]);
  }
}

/**
 * Throws `ConfigError` for a URL that no control plane can have. The message does not repeat it: a user may have put
 * a key there.
 */
export function checkControlUrl(url: string): void {
  const parsed = URL.parse(url);
  const plain =
    parsed !== null &&
    ['http:', 'https:'].includes(parsed.protocol) &&
    [parsed.username, parsed.password, parsed.search, parsed.hash].every((part) => part === '');
  if (plain) return;
  throw new ConfigError([
    'The URL of the control plane must be like https://host:7420, without a user, a password or a query. A key goes into MACBATCH_KEY.',
  ]);
}

/**
 * Throws `ConfigError` for a URL that would send prompts, outcomes and the key unencrypted over a network, unless
 * `MACBATCH_ALLOW_HTTP` allows it.
 */
export function refusePlainHttp(url: string, env: Connection): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname) || env.MACBATCH_ALLOW_HTTP === true) return;
  throw new ConfigError([
    `${url} is not encrypted: anyone on the network could read prompts, outcomes and keys. Use https, or set MACBATCH_ALLOW_HTTP=1 if you trust the network.`,
  ]);
}

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // Omits the message of the error, which names the path: a user may have put a key there.
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    throw new ConfigError([`${name}: the file cannot be read (${String(code)})`]);
  }
}
