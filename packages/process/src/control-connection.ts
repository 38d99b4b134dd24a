import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { messageOf } from '@macbatch/core';
import { ConfigError, type ConnectionConfig } from '@macbatch/settings';
import { isLoopback } from './loopback.ts';

type Connection = Partial<ConnectionConfig>;

/** The key that the environment gives, or undefined. Throws `ConfigError`. */
export function keyOf(env: Connection): string | undefined {
  const { MACBATCH_KEY: key, MACBATCH_KEY_FILE: file } = env;
  if (key !== undefined) return key;
  return file === undefined ? undefined : readText('MACBATCH_KEY_FILE', file).trim();
}

/**
 * Makes TLS connections of this process trust the certificates of `MACBATCH_CA_FILE` too. Throws
 * `ConfigError` where they can't be read.
 */
export function trustCertificates(env: Connection): void {
  const { MACBATCH_CA_FILE: file } = env;
  if (file === undefined) return;
  const pem = readText('MACBATCH_CA_FILE', file);
  try {
    new X509Certificate(pem); // what is no certificate would be passed over in silence
    setDefaultCACertificates([...getCACertificates('default'), pem]);
  } catch (error) {
    throw new ConfigError([`MACBATCH_CA_FILE: ${messageOf(error)}`]);
  }
}

/**
 * Throws `ConfigError` where prompts, outcomes and the key would cross a network in the clear, unless that
 * is said to be all right.
 */
export function refusePlainHttp(url: string, env: Connection): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname) || env.MACBATCH_ALLOW_HTTP === true) return;
  throw new ConfigError([
    `${url} is not encrypted: everybody on the way could read prompts, outcomes and keys. Use https, or set MACBATCH_ALLOW_HTTP=1 where the network is your own.`,
  ]);
}

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${name}: ${messageOf(error)}`]);
  }
}
