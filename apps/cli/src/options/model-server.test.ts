import { Writable } from 'node:stream';
import { serveLocally, testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { withModelServer } from './model-server.ts';

/** Calls `withModelServer` for a chat job. Returns the environment of the workers and what was printed. */
async function workersFor(model: string, env: Readonly<Record<string, string>>) {
  let printed = '';
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      printed += String(chunk);
      done();
    },
  });
  const given = { MACBATCH_CONFIG: '/dev/null', MACBATCH_STATE_DIR: testFolder(), ...env };
  return { env: await withModelServer({ job_type: 'chat', model }, given, { stderr }), printed };
}

const list = JSON.stringify({ data: [{ id: 'small:latest', object: 'model', owned_by: 'exo' }] });
const serve = () =>
  serveLocally(({ url }, reply) => void reply.writeHead(url === '/v1/models' ? 200 : 404).end(list));

it('has workers look for the server that runs the job, and names it', async () => {
  const url = await serve();
  const found = await workersFor('small', { MACBATCH_DISCOVER_URLS: url });
  expect(found.env).toMatchObject({ MACBATCH_DISCOVER: '1' });
  expect(found.printed).toBe(`using exo at ${url}\n`);
});

it('refuses a model that no server has, and lists the models', async () => {
  await expect(workersFor('big', { MACBATCH_DISCOVER_URLS: await serve() })).rejects.toThrow(
    /No model server of this machine runs chat with the model big. They have small:latest, small/,
  );
});

it('never looks for a model inside the worker, or when that is switched off', async () => {
  const { env } = await workersFor('use-lite', {});
  expect(env).toMatchObject({ MACBATCH_DISCOVER: '0' });
  await expect(workersFor('small', { MACBATCH_DISCOVER: '0' })).rejects.toThrow(/^--endpoint is missing/);
});
