import { ApiError, Client } from '@macbatch/client';
import { ConfigError } from '@macbatch/settings';
import { serveLocally } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { checkKey, needsPerson } from './needs-person.ts';

const withCode = (code: string) => Object.assign(new Error(code), { code });

it.each<[string, unknown, boolean]>([
  ['a wrong setting', new ConfigError(['MACBATCH_X: is not a variable of this program']), true],
  ['a worker that runs already', new Error('Worker ann is already running here as process 7.'), true],
  ['a full disk', withCode('ENOSPC'), false],
  ['a folder that is not mounted', withCode('ENOENT'), false],
  ['anything else', 'odd', false],
])('judges whether a start after %s fails again', (_, error, needs) => {
  expect(needsPerson(error)).toBe(needs);
});

/** Checks a key with a control plane that gives this answer. Returns the message of the refusal. */
async function refusalOf(status: number, code: string): Promise<string | null> {
  const baseUrl = await serveLocally((_, response) => {
    const problem = { type: 'about:blank', title: 'x', status, code, detail: 'This key was revoked.' };
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
  });
  const client = new Client({ baseUrl, key: 'mbk_x', retries: 0 });
  return checkKey(client).then(
    () => null,
    (error: unknown) => (needsPerson(error) && !(error instanceof ApiError) ? String(error) : 'passes'),
  );
}

it('a service does not start with a key that was revoked, and says how to join again', async () => {
  expect(await refusalOf(401, 'invalid_key')).toMatch(/This key was revoked.*macbatch worker join http/);
});

it('a service starts when the control plane is down', async () => {
  expect(await refusalOf(503, 'not_ready')).toBe(null);
  expect(await checkKey(new Client({ baseUrl: 'http://127.0.0.1:1', retries: 0 }))).toBe(undefined);
});
