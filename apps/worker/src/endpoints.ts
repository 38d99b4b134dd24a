import { readFileSync } from 'node:fs';
import type { EndpointConfig } from '@macbatch/agent';
import { messageOf } from '@macbatch/core';
import { ConfigError, proxiesOf, readHeaderLines, type WorkerConfig } from '@macbatch/settings';

/** The model servers of a worker, with the headers of their files and the proxies. Throws `ConfigError`. */
export function endpointsOf(config: WorkerConfig): readonly EndpointConfig[] {
  const proxies = proxiesOf(config);
  return config.MACBATCH_ENDPOINTS.map(({ headersFile, headers, ...endpoint }, index) => ({
    ...endpoint,
    proxies,
    headers: {
      ...headers,
      ...(headersFile === undefined ? {} : headersIn(headersFile, `MACBATCH_ENDPOINTS.${index}.headersFile`)),
    },
  }));
}

function headersIn(path: string, name: string): Readonly<Record<string, string>> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError([`${name}: ${messageOf(error)}`]);
  }
  const read = readHeaderLines(text.split('\n'));
  if ('badLine' in read) throw new ConfigError([`${name}: line ${read.badLine} is not "Name: value"`]);
  return read.headers;
}
