import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runInProcess } from '../testing/run-in-process.ts';

const JOB = '01a22849-568c-7422-8464-443b29d20bb5';
const BUILDS = ['1', '2'].map((digit) => ({ name: 'demo:8b', digest: `sha256:${digit.repeat(64)}` }));
const WARNING = /warning: 2 builds of the model ran: demo:8b \(sha256:1{12}\), demo:8b \(sha256:2{12}\)\. /g;

/** A job view as a control plane sends it. */
const job = (state: 'running' | 'done', models_used: readonly object[]) => ({
  ...{ id: JOB, name: null, submitted_by: null, group: '', state, job_type: 'embed', model: 'demo' },
  ...{ shard_size: 1, priority: 0, retry_on: 'errors', cancelled_at: null },
  created_at: '2026-01-01T00:00:00Z',
  finished_at: state === 'done' ? '2026-01-01T00:00:10Z' : null,
  items: { total: 2, ok: 2, error: 0, failed: 0, reused: 0, repeated: 0, open: 0 },
  tasks: { total: 2, pending: 0, leased: 0, done: 2, failed: 0 },
  ...{ leases_granted: 2, lease_expired_events: 0, params: {}, workers: [], models_used },
  mixed_models: models_used.length > 1,
});

let server: Server;
let env: Record<string, string>;
/** What the next reads of the job answer; the last one stays. */
let views: readonly object[] = [];
beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const path = url.replace(/\?.*/, '');
    if (path === `/v1/jobs/${JOB}`) {
      const [view, ...later] = views;
      if (later.length > 0) views = later;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(view));
    } else {
      response.statusCode = path.endsWith('/results') ? 200 : 404;
      response.end();
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  env = { MACBATCH_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
afterAll(() => {
  server.close();
});

const run = (...args: string[]) => runInProcess(args, { cwd: tmpdir(), env });

it('watch warns once of mixed builds while the job runs, and at its end', async () => {
  views = [job('running', BUILDS), job('done', BUILDS)];
  const ended = await run('watch', JOB);
  expect(ended.stderr.match(WARNING)).toHaveLength(1);
  expect(ended.stdout.match(WARNING)).toHaveLength(1);
  expect(ended).toMatchObject({ code: 0 });
});

it('job and results warn of mixed builds; results warns on standard error', async () => {
  views = [job('done', BUILDS)];
  expect((await run('job', JOB)).stdout.match(WARNING)).toHaveLength(1);
  const results = await run('results', JOB);
  expect(results).toMatchObject({ code: 0, stdout: '' });
  expect(results.stderr.match(WARNING)).toHaveLength(1);
  expect(results.stderr).toContain('Vectors of different builds are not comparable');
});

it.each(['watch', 'job', 'results'])('%s gives no warning if one build ran', async (command) => {
  views = [job('done', BUILDS.slice(1))];
  const { code, stdout, stderr } = await run(command, JOB);
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain('warning');
});
