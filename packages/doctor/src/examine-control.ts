import { ApiError, type Client } from '@macbatch/client';
import { API_VERSION, API_VERSION_HEADER, apiVersionOf, compatibility, Problem } from '@macbatch/contract';
import { isLoopback } from '@macbatch/process';
import { type Finding, finding } from './finding.ts';
import { judgeClock } from './judge-clock.ts';
import { judgeDatabase } from './judge-database.ts';
import { unreachable } from './unreachable.ts';

const DEADLINE_MS = 10_000;

/** Looks at a control plane from here: each check needs those before it. */
export async function examineControl(
  client: Client,
  ownVersion: string,
  now: () => number,
): Promise<Finding[]> {
  const { baseUrl } = client;
  let ready: Response;
  const askedAt = performance.now();
  try {
    ready = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(DEADLINE_MS) });
  } catch (error) {
    return [unreachable(baseUrl, error)];
  }
  const tripMs = Math.round(performance.now() - askedAt);
  const problem = Problem.safeParse(ready.ok ? undefined : await ready.json().catch(() => undefined));
  if (!ready.headers.has(API_VERSION_HEADER)) {
    return [
      finding(
        'control plane',
        'fail',
        `what answers at ${baseUrl} is no control plane of macbatch (HTTP ${ready.status})`,
        'Give the address of the control plane with --url or MACBATCH_URL.',
      ),
    ];
  }
  const findings = [
    problem.success
      ? finding('control plane', 'fail', `${baseUrl}: ${problem.data.detail}`, fixOf(problem.data.code))
      : finding('control plane', 'ok', `ready at ${baseUrl}, answers in ${tripMs} ms`),
    judgeEncryption(baseUrl),
    judgeProtocol(ready.headers.get(API_VERSION_HEADER)),
  ];
  if (findings.some(({ state }) => state === 'fail')) return findings;
  return [...findings, ...(await examineInside(client, ownVersion, now))];
}

function fixOf(code: string): string {
  if (code === 'route_not_found') return 'It is of an earlier release: upgrade the control plane.';
  if (code === 'not_ready') return 'Let all control planes run the same release.';
  return 'See that Postgres runs, and that the control plane reaches it; its log says more.';
}

function judgeEncryption(baseUrl: string): Finding {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:') return finding('encryption', 'ok', 'TLS, with a certificate that is trusted');
  if (isLoopback(hostname)) return finding('encryption', 'ok', 'not needed: it is on this machine');
  return finding(
    'encryption',
    'warn',
    'plain HTTP: who is on the way reads prompts, outcomes and keys',
    'Give the control plane MACBATCH_TLS_CERT and MACBATCH_TLS_KEY, and use https.',
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

/** What only a key that is valid gets to know. */
async function examineInside(client: Client, ownVersion: string, now: () => number): Promise<Finding[]> {
  const askedAt = now();
  const caller = await client.call('readCaller', {}).catch(refusal);
  if (caller instanceof ApiError) {
    return [
      finding(
        'key',
        'fail',
        caller.message,
        caller.status === 401
          ? 'Set MACBATCH_KEY or MACBATCH_KEY_FILE to a key that macbatch keys create has printed.'
          : 'The log of the control plane says more.',
      ),
    ];
  }
  const answeredAt = now();
  const findings = [
    caller.open
      ? finding('key', 'ok', 'none is needed: only this machine can ask')
      : finding('key', 'ok', `valid: role ${caller.role}, ${caller.worker_id ?? `group ${caller.group}`}`),
    caller.version === ownVersion
      ? finding('release', 'ok', `${ownVersion} here and there`)
      : finding(
          'release',
          'warn',
          `the control plane is ${caller.version}, this program ${ownVersion}`,
          'Let both be of one release; upgrade the control plane first.',
        ),
    judgeClock({ askedAt, answeredAt, databaseNow: Date.parse(caller.now) }),
  ];
  if (caller.role !== 'admin')
    return [...findings, finding('database', 'info', 'not looked at: that takes an admin key')];
  return [...findings, ...judgeDatabase(await client.call('readDatabase', {}))];
}

function refusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
