import { readMembership, writeMembership } from '@macbatch/agent';
import { Client } from '@macbatch/client';
import { parseSecretText } from '@macbatch/core';
import { checkControlUrl, keyOf, refusePlainHttp, trustCertificates } from '@macbatch/process';
import { DEFAULT_CONTROL_URL, type WorkerConfig } from '@macbatch/settings';
import type { ControlConnections } from './control-connections.ts';

/** Opens a client of the configured control plane, of the one that the worker joined, or of the default URL, in this order. */
export async function openControl(
  config: WorkerConfig,
  stateDir: string,
  workerId: string,
  connections?: ControlConnections,
): Promise<Client> {
  trustCertificates(config);
  const joined = await readMembership(stateDir, workerId);
  const baseUrl = config.MACBATCH_CONTROL_URL ?? joined?.url ?? DEFAULT_CONTROL_URL;
  checkControlUrl(baseUrl);
  refusePlainHttp(baseUrl, config);
  // The saved key goes only to the control plane that issued it.
  const key = keyOf(config) ?? (joined !== null && sameUrl(joined.url, baseUrl) ? joined.key : undefined);
  return new Client({
    baseUrl,
    ...(connections === undefined ? {} : { fetch: connections.fetch }),
    ...(key === undefined ? {} : { key }),
  });
}

/** Exchanges the join token for the worker's key and saves the key. Returns the path of the key's file. */
export async function joinControl(config: WorkerConfig, stateDir: string, workerId: string): Promise<string> {
  trustCertificates(config);
  const { MACBATCH_CONTROL_URL: url, MACBATCH_JOIN_TOKEN: token } = config;
  if (url === undefined) throw new Error('Set MACBATCH_CONTROL_URL to the control plane to join.');
  if (token === undefined || parseSecretText('mbj', token.trim()) === null)
    throw new Error('Set MACBATCH_JOIN_TOKEN to the token that macbatch keys invite printed (mbj_ …).');
  checkControlUrl(url);
  refusePlainHttp(url, config);
  // No retry: the first call uses up the token, even if its answer is lost.
  const client = new Client({ baseUrl: url, key: token.trim(), retries: 0 });
  const { key } = await client.call('joinWorker', { body: { worker_id: workerId } });
  return writeMembership(stateDir, workerId, { url, key });
}

function sameUrl(one: string, other: string): boolean {
  return new URL(one).href === new URL(other).href;
}
