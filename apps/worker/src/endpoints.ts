import { readFileSync } from 'node:fs';
import type { DiscoveryConfig, EndpointConfig } from '@macbatch/agent';
import { messageOf } from '@macbatch/core';
import { ConfigError, proxiesOf, readHeaderLines, type WorkerConfig } from '@macbatch/settings';

/** The model servers of a worker, with the keys and headers of their files and the proxies. Throws `ConfigError`. */
export function endpointsOf(config: WorkerConfig): readonly EndpointConfig[] {
  const proxies = proxiesOf(config);
  return config.MACBATCH_ENDPOINTS.map(({ headersFile, keyFile, headers, ...endpoint }, index) => ({
    ...endpoint,
    ...(keyFile === undefined ? {} : { key: keyIn(keyFile, `MACBATCH_ENDPOINTS.${index}.keyFile`) }),
    proxies,
    headers: {
      ...headers,
      ...(headersFile === undefined ? {} : headersIn(headersFile, `MACBATCH_ENDPOINTS.${index}.headersFile`)),
    },
  }));
}

/** Where to look for model servers; null if the model servers are named, or nothing may be looked for. */
export function discoveryOf(config: WorkerConfig): DiscoveryConfig | null {
  if (config.MACBATCH_ENDPOINTS.length > 0 || !config.MACBATCH_DISCOVER) return null;
  return { aliases: config.MACBATCH_ALIASES, urls: config.MACBATCH_DISCOVER_URLS };
}

function keyIn(path: string, name: string): string {
  const key = textOf(path, name).trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new ConfigError([`${name}: the file must contain one key`]);
  return key;
}

function textOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${name}: ${messageOf(error)}`]);
  }
}

function headersIn(path: string, name: string): Readonly<Record<string, string>> {
  const read = readHeaderLines(textOf(path, name).split('\n'));
  if ('badLine' in read) throw new ConfigError([`${name}: line ${read.badLine} is not "Name: value"`]);
  return read.headers;
}
