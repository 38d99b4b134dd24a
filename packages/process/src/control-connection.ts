import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { messageOf } from '@macbatch/core';
import { ConfigError, type ConnectionConfig } from '@macbatch/settings';
import { isLoopback } from './loopback.ts';

type Connection = Partial<ConnectionConfig>;

/** Reads the key from its variable or its file; undefined if neither is set. Throws `ConfigError`. */
export function keyOf(env: Connection): string | undefined {
  const { MACBATCH_KEY: key, MACBATCH_KEY_FILE: file } = env;
  if (key !== undefined) return key;
  return file === undefined ? undefined : readText('MACBATCH_KEY_FILE', file).trim();
}

/**
 * Makes TLS connections of this process also trust the certificates of `MACBATCH_CA_FILE`. Throws `ConfigError`
 * when the file cannot be read.
 */
export function trustCertificates(env: Connection): void {
  const { MACBATCH_CA_FILE: file } = env;
  if (file === undefined) return;
  const pem = readText('MACBATCH_CA_FILE', file);
  try {
    new X509Certificate(pem); // the next line would ignore a file without a certificate
    setDefaultCACertificates([...getCACertificates('default'), pem]);
  } catch (error) {
    throw new ConfigError([`MACBATCH_CA_FILE: ${messageOf(error)}`]);
  }
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
    throw new ConfigError([`${name}: ${messageOf(error)}`]);
  }
}
