import { ACCESS, type RouteName, routes } from '@macbatch/contract';
import { KEY_ROLES, type KeyRole } from '@macbatch/core';
import { beforeEach, expect, it } from 'vitest';
import { fileApp, HEARTBEAT, JOB, LEASE } from '../testing/file-app.ts';
import { bearing, keyFor } from '../testing/keyed-app.ts';

const { db, errors, send } = fileApp({ open: false });

/** Which roles may use each route, written independently of the contract. */
const MAY: Readonly<Record<Exclude<RouteName, 'joinWorker'>, readonly KeyRole[]>> = {
  submitJob: ['submit', 'admin'],
  listJobs: ['submit', 'read', 'admin'],
  readJob: ['submit', 'read', 'admin'],
  explainJob: ['submit', 'read', 'admin'],
  readResults: ['submit', 'read', 'admin'],
  countKnownKeys: ['submit', 'read', 'admin'],
  listItems: ['submit', 'read', 'admin'],
  readItem: ['submit', 'read', 'admin'],
  cancelJob: ['submit', 'admin'],
  retryJob: ['submit', 'admin'],
  auditJob: ['submit', 'read', 'admin'],
  listFailures: ['submit', 'read', 'admin'],
  listEvents: ['submit', 'read', 'admin'],
  leaseTasks: ['worker', 'admin'],
  completeBatch: ['worker', 'admin'],
  releaseTasks: ['worker', 'admin'],
  heartbeat: ['worker', 'admin'],
  reportBoot: ['worker', 'admin'],
  listWorkers: ['submit', 'read', 'worker', 'admin'],
  streamChanges: ['submit', 'read', 'admin'],
  readThroughput: ['submit', 'read', 'admin'],
  pauseWorker: ['worker', 'admin'],
  resumeWorker: ['worker', 'admin'],
  listBoots: ['admin'],
  reclaim: ['admin'],
  prune: ['admin'],
  readDatabase: ['admin'],
  readCaller: ['submit', 'read', 'worker', 'metrics', 'admin'],
  createSession: ['submit', 'read', 'worker', 'metrics', 'admin'],
  endSession: ['submit', 'read', 'worker', 'metrics', 'admin'],
  createKey: ['admin'],
  listKeys: ['admin'],
  revokeKey: ['admin'],
  createJoinToken: ['admin'],
};

const BOOT = {
  role: 'worker',
  name: 'ann',
  boot: {
    boot_id: 'boot',
    pid: 1,
    hostname: 'h',
    started_at: '2026-01-01T00:00:00Z',
    cwd: '/',
    tmp_writable: true,
  },
  previous_boot_id: null,
};
const NEVER_LEASED = { task_id: '1', attempt: 1 };
const BODIES: Readonly<Partial<Record<RouteName, unknown>>> = {
  submitJob: { ...JOB, items: [{ id: 'a', payload: 1 }] },
  retryJob: {},
  countKnownKeys: { keys: ['0'.repeat(64)] },
  leaseTasks: LEASE,
  completeBatch: { worker_id: 'ann', entries: [{ ...NEVER_LEASED, outcomes: [], final: false }] },
  releaseTasks: { worker_id: 'ann', tasks: [NEVER_LEASED] },
  heartbeat: HEARTBEAT,
  reportBoot: BOOT,
  pauseWorker: {},
  createKey: { name: 'n', role: 'submit' },
  createJoinToken: {},
  prune: { older_than_seconds: 3600 },
};

/** Of routes that need a query. */
const QUERIES: Readonly<Partial<Record<RouteName, string>>> = {
  readItem: '?seq=0',
  streamChanges: '?topics=jobs',
};

const names = Object.keys(MAY) as (keyof typeof MAY)[];
let jobId = '';
let keyId = '';
let keys: Readonly<Record<KeyRole, string>>;

beforeEach(async () => {
  const { store } = db;
  // One group for all keys: this test is about roles, not about ownership of jobs.
  const made = await Promise.all(
    KEY_ROLES.map(async (role) => [role, await keyFor(store, role, { group: 'us' })] as const),
  );
  keys = Object.fromEntries(made) as Record<KeyRole, string>;
  keyId = (await store.keys.list())[0]?.id ?? '';
  const response = await send('POST', '/v1/jobs', BODIES.submitJob, bearing(keys.submit));
  jobId = ((await response.json()) as { id: string }).id;
  await send('POST', '/v1/workers/heartbeat', HEARTBEAT, bearing(keys.worker));
});

function ask(name: keyof typeof MAY, headers: Record<string, string>): Promise<Response> {
  const route = routes[name];
  const isOfWorker = name === 'pauseWorker' || name === 'resumeWorker';
  const id = name === 'revokeKey' ? keyId : isOfWorker ? 'ann' : jobId;
  const query = QUERIES[name] ?? '';
  return send(route.method.toUpperCase(), `${route.path.replace('{id}', id)}${query}`, BODIES[name], headers);
}

it.each(names)('%s admits the keys that the matrix says, and no request without a key', async (name) => {
  const refused = KEY_ROLES.filter((role) => !MAY[name].includes(role));
  // The refused first: an admitted request may end the key that the next one would use.
  for (const role of [...refused, ...MAY[name]]) {
    const { status, body } = await ask(name, bearing(keys[role]));
    await body?.cancel(); // a stream would not end
    if (refused.includes(role)) expect(status, role).toBe(403);
    else expect(status, role).toBeLessThan(300);
  }
  const response = await ask(name, {});
  expect(response.status).toBe(401);
  expect(response.headers.get('www-authenticate')).toContain('Bearer');
  expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
  // Before the body is read.
  const { method, path } = routes[name];
  const garbage = await send(method.toUpperCase(), path.replace('{id}', jobId), undefined);
  expect(garbage.status).toBe(401);
});

it('the matrix has every route of the contract except the one for join tokens', () => {
  const taken = Object.keys(ACCESS).filter((name) => name !== 'joinWorker');
  expect(new Set<string>(names)).toEqual(new Set(taken));
});

it('no request caused an internal error', () => {
  expect(errors).toEqual([]);
});
