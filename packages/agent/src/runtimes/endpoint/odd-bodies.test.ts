import { serveLocally } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openAiEndpoint } from './openai-endpoint.ts';

/** Runs a chat item on a server that answers 200 with this body. */
async function run(body: Buffer | string) {
  const url = await serveLocally((incoming, outgoing) => {
    if (incoming.method === 'GET') outgoing.writeHead(404).end();
    else outgoing.end(body);
  });
  const runtime = openAiEndpoint({ url: `${url}/v1`, models: { m: 'm' } }, { now: Date.now });
  onTestFinished(() => runtime.close());
  const { signal } = new AbortController();
  return runtime.run({
    job_type: 'chat',
    model: 'm',
    params: {},
    payload: 'Hello',
    payloadText: '"Hello"',
    signal,
  });
}

it('fails an item whose answer is not UTF-8, and changes none of its characters', async () => {
  const reply = '{"choices":[{"finish_reason":"stop","message":{"content":"Grüß Gott"}}]}';
  await expect(run(Buffer.from(reply, 'latin1'))).rejects.toMatchObject({
    failure: 'permanent',
    code: 'unreadable_answer',
    message: expect.stringMatching(/not UTF-8/),
  });
  expect((await run(reply)).output).toContain('Grüß Gott');
});

it('takes a page that is neither UTF-8 nor JSON for a fault of the server', async () => {
  await expect(run(Buffer.from('<html>Grüß Gott</html>', 'latin1'))).rejects.toMatchObject({
    failure: 'not_here',
    code: 'not_a_model_server',
  });
});

it('reads an answer that is streamed though nobody asked for a stream', async () => {
  const piece = (content: string, finish_reason: string | null) =>
    `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason }] })}\n\n`;
  expect(JSON.parse((await run(piece('Hel', null) + piece('lo', 'stop'))).output)).toEqual({
    text: 'Hello',
    finish_reason: 'stop',
  });
  await expect(run(piece('Hel', null))).rejects.toMatchObject({
    failure: 'transient',
    code: 'incomplete_answer',
  });
});
