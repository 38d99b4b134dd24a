import { json } from 'node:stream/consumers';
import { serveLocally } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openAiEndpoint } from './openai-endpoint.ts';

/** Asks a server that replies like this for one token. Returns what it was sent. */
async function ask(status: number, reply: object) {
  const sent: unknown[] = [];
  const url = await serveLocally(async (incoming, outgoing) => {
    sent.push(await json(incoming));
    outgoing.writeHead(status).end(JSON.stringify(reply));
  });
  const runtime = openAiEndpoint({ url: `${url}/v1`, models: { alias: 'real' } }, { now: Date.now });
  onTestFinished(() => runtime.close());
  return { sent, works: runtime.answers?.('alias') };
}

it('tests a model with a chat of one token', async () => {
  const { sent, works } = await ask(200, {
    choices: [{ finish_reason: 'length', message: { content: '' } }],
  });
  expect(await works).toBe(true);
  expect(sent).toEqual([{ model: 'real', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }]);
});

it.each([
  [{}],
  [{ choices: [{ index: 0 }] }],
  [{ choices: [{ finish_reason: 'error', message: { content: 'half of' } }] }],
])('does not take %j for an answer', async (reply) => {
  expect(await (await ask(200, reply)).works).toBe(false);
});

it('rejects when the server fails', async () => {
  await expect((await ask(500, {})).works).rejects.toMatchObject({ failure: 'transient' });
});
