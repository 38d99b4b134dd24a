import { ApiError, type Client } from '@macbatch/client';
import { API_VERSION, API_VERSION_HEADER, apiVersionOf, compatibility, Problem } from '@macbatch/contract';
import { isLoopback } from '@macbatch/process';
import { type Finding, finding } from './finding.ts';
import { judgeClock } from './judge-clock.ts';
import { judgeDatabase } from './judge-database.ts';
import { judgeWorkers } from './judge-workers.ts';
import { unreachable } from './unreachable.ts';

const TIMEOUT_MS = 10_000;

/** Checks a control plane. Stops at the first check that fails, because later checks need it. */
export async function examineControl(
  client: Client,
  ownVersion: string,
  now: () => number,
): Promise<Finding[]> {
  const { baseUrl } = client;
  let ready: Response;
  const askedAt = performance.now();
  try {
    ready = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    return [unreachable(baseUrl, error)];
  }
  const roundTripMs = Math.round(performance.now() - askedAt);
  const problem = Problem.safeParse(ready.ok ? undefined : await ready.json().catch(() => undefined));
  if (!ready.headers.has(API_VERSION_HEADER)) {
    return [
      finding(
        'control plane',
        'fail',
        `the server at ${baseUrl} is not a macbatch control plane (HTTP ${ready.status})`,
        'Set the URL of the control plane with --url or MACBATCH_URL.',
      ),
    ];
  }
  const findings = [
    problem.success
      ? finding('control plane', 'fail', `${baseUrl}: ${problem.data.detail}`, fixOf(problem.data.code))
      : finding('control plane', 'ok', `ready at ${baseUrl}, answers in ${roundTripMs} ms`),
    judgeEncryption(baseUrl),
    judgeProtocol(ready.headers.get(API_VERSION_HEADER)),
  ];
  if (findings.some(({ state }) => state === 'fail')) return findings;
  return [...findings, ...(await examineWithKey(client, ownVersion, now))];
}

function fixOf(code: string): string {
  if (code === 'route_not_found') return 'Its release is too old: upgrade the control plane.';
  if (code === 'not_ready') return 'Run the same release on all control planes.';
  return 'Check that Postgres runs and that the control plane can reach it; see the log of the control plane.';
}

function judgeEncryption(baseUrl: string): Finding {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:') return finding('encryption', 'ok', 'TLS with a trusted certificate');
  if (isLoopback(hostname))
    return finding('encryption', 'ok', 'not needed: the control plane is on this machine');
  return finding(
    'encryption',
    'warn',
    'plain HTTP: others on the network can read prompts, outcomes and keys',
    'Set MACBATCH_TLS_CERT and MACBATCH_TLS_KEY for the control plane, and use https.',
  );
}

function judgeProtocol(header: string | null): Finding {
  const theirs = apiVersionOf(header);
  const found = `the control plane speaks ${theirs}, this program ${API_VERSION}`;
  if (compatibility(API_VERSION, theirs) === 'compatible' || compatibility(theirs) === 'compatible')
    return finding('protocol', 'ok', found);
  return finding(
    'protocol',
    'fail',
    found,
    theirs < API_VERSION ? 'Upgrade the control plane.' : 'Upgrade this program.',
  );
}

/** Runs the checks that need a valid key. */
async function examineWithKey(client: Client, ownVersion: string, now: () => number): Promise<Finding[]> {
  const askedAt = now();
  const caller = await client.call('readCaller', {}).catch(apiErrorOf);
  if (caller instanceof ApiError) {
    return [
      finding(
        'key',
        'fail',
        caller.message,
        caller.status === 401
          ? 'Set MACBATCH_KEY or MACBATCH_KEY_FILE to a key that macbatch keys create has printed.'
          : 'See the log of the control plane.',
      ),
    ];
  }
  const answeredAt = now();
  const findings = [
    caller.open
      ? finding('key', 'ok', 'not needed: only this machine can reach the control plane')
      : finding('key', 'ok', `valid: role ${caller.role}, ${caller.worker_id ?? `group ${caller.group}`}`),
    caller.version === ownVersion
      ? finding('release', 'ok', `${ownVersion} here and there`)
      : finding(
          'release',
          'warn',
          `the control plane is ${caller.version}, this program ${ownVersion}`,
          'Install the same release on both; upgrade the control plane first.',
        ),
    judgeClock({ requestAt: askedAt, responseAt: answeredAt, databaseNow: Date.parse(caller.now) }),
  ];
  findings.push(...(await examineWorkers(client)));
  if (caller.role !== 'admin')
    return [...findings, finding('database', 'info', 'not checked: this needs an admin key')];
  return [...findings, ...judgeDatabase(await client.call('readDatabase', {}))];
}

/** Only some roles may list workers. */
async function examineWorkers(client: Client): Promise<Finding[]> {
  const list = await client.call('listWorkers', {}).catch(apiErrorOf);
  return list instanceof ApiError ? [] : judgeWorkers(list.workers);
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
