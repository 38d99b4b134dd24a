import { API_VERSION, API_VERSION_HEADER, routes } from '@macbatch/contract';
import { describe, expect, it } from 'vitest';
import { ApiError, Unreachable } from './api-error.ts';
import { Client } from './client.ts';

const LEASE = {
  worker_id: 'ann',
  boot_id: 'b',
  lease_limit: 1,
  offers: [{ job_type: 'noop', model: 'm' }],
} as const;
const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const problem = (code: string, status: number) =>
  json(
    { type: 'about:blank', title: 't', status, detail: `it is ${code}`, code, field: 'items[3].id' },
    status,
  );

/** A client whose requests get these answers, one after the other. */
function clientOf(...answers: (() => Response)[]): {
  client: Client;
  calls: { url: string; method: string | undefined }[];
} {
  const calls: { url: string; method: string | undefined }[] = [];
  const client = new Client({
    baseUrl: 'http://control/',
    retries: 2,
    fetch: (url, init) => {
      calls.push({ url, method: init.method });
      const answer = answers[calls.length - 1];
      if (answer === undefined) throw new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
      return answer();
    },
  });
  return { client, calls };
}

describe('a reply', () => {
  it('A2: is parsed by the schema of its route', async () => {
    const { client, calls } = clientOf(() => json({ reclaimed: 2, failed: 0, later: 'ignored' }));
    expect(await client.call('reclaim', {})).toEqual({ reclaimed: 2, failed: 0 });
    expect(calls).toEqual([{ url: 'http://control/v1/admin/reclaim', method: 'POST' }]);
  });

  it('A2: leaves out only the entries that do not fit the contract, if `onUnreadable` is set', async () => {
    const lost = { task_id: '7', attempt: 1, code: 'lease_lost' };
    const newer = { task_id: '8', attempt: 1, code: 'a_newer_code' };
    const reply = { now: '2026-01-01T00:00:00Z', deployment_id: 'd', lost: [lost, newer], settled: [{}] };
    const { client } = clientOf(
      () => json(reply),
      () => json(reply),
    );
    const unreadable: string[] = [];
    const options = { onUnreadable: ({ path }: { path: string }) => unreadable.push(path) };
    const body = {
      worker_id: 'ann',
      boot_id: 'b',
      hostname: 'h',
      job_types: [],
      models: [],
      concurrency: 1,
      lease_limit: 1,
    };
    expect(await client.call('heartbeat', { body }, options)).toMatchObject({ lost: [lost], settled: [] });
    expect(unreadable).toContain('lost[1].code');
    expect(unreadable.some((path) => path.startsWith('settled[0]'))).toBe(true);
    await expect(client.call('heartbeat', { body })).rejects.toThrow(
      /reply to heartbeat cannot be read: lost\[1\]\.code: /,
    );
  });

  it('A2: is an error when it does not fit the contract', async () => {
    const { client } = clientOf(() => json({ reclaimed: 'two' }));
    await expect(client.call('reclaim', {})).rejects.toThrow(
      /^The control plane's reply to reclaim cannot be read: reclaimed: [^\n]* \(and 1 more\)\. Does it[^\n]*$/,
    );
  });
});

describe('a refusal', () => {
  it('A3: is an ApiError with code, status and field, and is not retried', async () => {
    const { client, calls } = clientOf(() => problem('invalid_field', 400));
    const refused = client.call('listWorkers', {});
    await expect(refused).rejects.toBeInstanceOf(ApiError);
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_field',
      status: 400,
      retryable: false,
      problem: { field: 'items[3].id' },
    });
    expect(calls).toHaveLength(1);
  });

  it('A3: is an ApiError even when it is not from macbatch', async () => {
    const { client } = clientOf(() => new Response('<html>nginx</html>', { status: 404 }));
    await expect(client.call('listWorkers', {})).rejects.toMatchObject({
      code: 'foreign_reply',
      status: 404,
    });
  });

  it('A3: is retried when it may pass', async () => {
    const { client, calls } = clientOf(
      () => problem('database_unavailable', 503),
      () => json({ workers: [] }),
    );
    expect(await client.call('listWorkers', {})).toEqual({ workers: [] });
    expect(calls).toHaveLength(2);
  });
});

describe('without an answer', () => {
  it.each(['listWorkers', 'reclaim'] as const)('W6: %s is retried, then Unreachable', async (name) => {
    const { client, calls } = clientOf();
    const failed = client.call(name, {});
    await expect(failed).rejects.toBeInstanceOf(Unreachable);
    await expect(failed).rejects.toThrow('ECONNREFUSED');
    expect(calls).toHaveLength(3);
  });

  it('a certificate that is not trusted is not retried', async () => {
    const calls: string[] = [];
    const client = new Client({
      baseUrl: 'https://control',
      retries: 2,
      fetch: (url) => {
        calls.push(url);
        const cause = Object.assign(new Error('self-signed certificate'), {
          code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
        });
        throw new TypeError('fetch failed', { cause });
      },
    });
    await expect(client.call('listWorkers', {})).rejects.toThrow(
      'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
    expect(calls).toHaveLength(1);
  });

  it('T2: leaseTasks is not retried, because the lost answer may have granted leases', async () => {
    const { client, calls } = clientOf();
    await expect(
      client.call('leaseTasks', { body: { ...LEASE, offers: [...LEASE.offers] } }),
    ).rejects.toBeInstanceOf(Unreachable);
    expect(calls).toHaveLength(1);
  });

  it('I6: a submission is retried only with an idempotency key', async () => {
    async function* lines() {
      yield '{"job_type":"noop","model":"m"}';
    }
    const without = clientOf();
    await expect(without.client.submit(lines)).rejects.toBeInstanceOf(Unreachable);
    expect(without.calls).toHaveLength(1);
    const keyed = clientOf();
    await expect(keyed.client.submit(lines, { idempotencyKey: 'k' })).rejects.toBeInstanceOf(Unreachable);
    expect(keyed.calls).toHaveLength(3);
  });

  it('A2: an aborted call rejects with the reason of its signal', async () => {
    const { client } = clientOf();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(client.call('listWorkers', {}, { signal })).rejects.toThrow('enough');
  });
});

it('A2: escapes ids in paths, and leaves undefined parameters out of the query', async () => {
  const { client, calls } = clientOf(() => new Response(''));
  const lines: string[] = [];
  for await (const line of client.results('a/b?c', { item_id: 'é &' })) lines.push(line);
  expect(lines).toEqual([]);
  expect(calls[0]?.url).toBe('http://control/v1/jobs/a%2Fb%3Fc/results?item_id=%C3%A9+%26');
  expect(routes.readResults.path).toContain('{id}');
});

describe('a control plane of another release', () => {
  it('is accepted when it is one release older and sends no version', async () => {
    const { client } = clientOf(() => json({ workers: [] }));
    expect(await client.call('listWorkers', {})).toEqual({ workers: [] });
  });

  it('causes an error that says what to upgrade when it does not know a field', async () => {
    const { client } = clientOf(() => problem('invalid_field', 400));
    await expect(client.call('listWorkers', {})).rejects.toThrow(
      /^it is invalid_field \(.*upgrade the control plane first\.\)$/,
    );
  });

  it('is refused when it is too old, with a message that says what to upgrade', async () => {
    const { client, calls } = clientOf(
      () => new Response('{"workers":[]}', { headers: { [API_VERSION_HEADER]: String(API_VERSION - 2) } }),
    );
    await expect(client.call('listWorkers', {})).rejects.toThrow('Upgrade the control plane first.');
    expect(calls).toHaveLength(1);
  });
});

it('sends the key with every request, in a header and nowhere else', async () => {
  const sent: { url: string; headers: Headers }[] = [];
  const client = new Client({
    baseUrl: 'https://control',
    key: 'mbk_secret',
    fetch: (url, init) => {
      sent.push({ url, headers: new Headers(init.headers) });
      return json({ workers: [] });
    },
  });
  await client.call('listWorkers', {});
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer mbk_secret');
  expect(sent[0]?.url).not.toContain('secret');
});
