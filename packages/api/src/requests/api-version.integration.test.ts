import { API_VERSION, API_VERSION_HEADER } from '@macbatch/contract';
import { describe, expect, it } from 'vitest';
import { completed, fileApp, HEARTBEAT, LEASE } from '../testing/file-app.ts';

const { leased, send, refused } = fileApp();

const speaking = (version: number) => ({ [API_VERSION_HEADER]: String(version) });
const CALLS = [
  ['/v1/workers/heartbeat', HEARTBEAT],
  ['/v1/tasks/lease', LEASE],
] as const;

describe.each(CALLS)('%s', (path, body) => {
  it('serves workers of this API version, of the previous one, and without a version header', async () => {
    expect((await send('POST', path, body, speaking(API_VERSION))).status).toBe(200);
    expect((await send('POST', path, body, speaking(API_VERSION - 1))).status).toBe(200);
    expect((await send('POST', path, body)).status).toBe(200);
  });

  it('refuses other versions and says what to upgrade', async () => {
    const old = await refused(() => send('POST', path, body, speaking(API_VERSION - 2)));
    expect(old).toMatchObject({ status: 426, code: 'worker_too_old' });
    expect(old.detail).toContain('Upgrade the worker.');
    const early = await refused(() => send('POST', path, body, speaking(API_VERSION + 1)));
    expect(early).toMatchObject({ status: 426, code: 'worker_too_new' });
    expect(early.detail).toContain('Upgrade the control plane first.');
  });
});

it('W6: accepts finished outcomes of a worker that is too old', async () => {
  const [task] = await leased(['a']);
  const entries = task === undefined ? [] : [completed(task)];
  const body = { worker_id: 'ann', entries };
  const reply = await send('POST', '/v1/tasks/complete_batch', body, speaking(API_VERSION - 2));
  expect(await reply.json()).toMatchObject({ entries: [{ outcome: 'accepted' }] });
});

it('sends its API version with every reply', async () => {
  expect((await send('GET', '/v1/workers')).headers.get(API_VERSION_HEADER)).toBe(String(API_VERSION));
});
