import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import type { RunRequest } from '../runtime.ts';
import { USE_LITE, useLite } from './use-lite.ts';
import { cosine } from './zero-shot.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const runtime = useLite();
afterAll(() => runtime.close());

const never = new AbortController().signal;
const request = (job_type: RunRequest['job_type'], payload: unknown, more: Partial<RunRequest> = {}) => ({
  job_type,
  model: USE_LITE,
  params: {},
  payload,
  payloadText: JSON.stringify(payload),
  signal: never,
  ...more,
});

interface Embedding {
  readonly embedding: readonly number[];
  readonly dimensions: number;
  readonly tokens_read: number;
  readonly truncated: boolean;
}

async function embed(payload: unknown): Promise<Embedding> {
  return JSON.parse((await runtime.run(request('embed', payload))).output) as Embedding;
}

async function classify(text: string, labels: unknown): Promise<{ label: string; scores: object }> {
  const { output } = await runtime.run(request('classify', text, { params: { labels } }));
  return JSON.parse(output) as { label: string; scores: object };
}

test('puts related sentences nearer to each other than unrelated ones', async () => {
  const [parcel, delivery, soup] = await Promise.all([
    embed('My parcel has not arrived yet.'),
    embed({ text: 'The delivery is late.', id: 7 }),
    embed('Add the onions to the soup and stir.'),
  ]);
  expect(parcel.embedding).toHaveLength(512);
  expect(parcel).toMatchObject({ dimensions: 512, truncated: false });
  expect(cosine(parcel.embedding, delivery.embedding)).toBeGreaterThan(
    cosine(parcel.embedding, soup.embedding) + 0.1,
  );
});

test('names the model, the digest of its weights and the number of tokens that it read', async () => {
  const { model, usage, output } = await runtime.run(request('embed', 'hello'));
  expect(model).toEqual({
    name: 'universal-sentence-encoder-lite-en',
    digest: 'sha256:713639dff4b5b3cc4a1ca070077c0f1125022582dd1d2ec8961d92905c289300',
  });
  expect(usage).toEqual({ input_tokens: (JSON.parse(output) as Embedding).tokens_read });
});

test('returns the same embedding for a text alone and in a batch', async () => {
  const texts = ['Hello.', 'The delivery is late. '.repeat(40), 'One more.'];
  const together = await Promise.all(texts.map((text) => embed(text)));
  for (const [at, text] of texts.entries()) expect(await embed(text)).toEqual(together[at]);
});

test('reads 128 tokens and marks longer texts as truncated', async () => {
  const words = (count: number) => Array.from({ length: count }, () => 'the').join(' ');
  const [one28, one29, long] = await Promise.all([
    embed(words(128)),
    embed(words(129)),
    embed(words(128) + ' 汉 '.repeat(100_000)),
  ]);
  expect(one28).toMatchObject({ tokens_read: 128, truncated: false });
  expect(one29).toEqual({ ...one28, truncated: true });
  expect(long).toEqual({ ...one28, truncated: true });
});

test('classifies a text by the label with the nearest description', async () => {
  const labels = {
    sports: 'sports, games and athletes',
    cooking: 'cooking, food and recipes',
    money: 'banks, money and the stock market',
  };
  const classed = await Promise.all([
    classify('The striker scored twice in the final match.', labels),
    classify('Fry the garlic in butter, then add the noodles.', labels),
    classify('Shares fell after the central bank raised interest rates.', labels),
    classify('I want my money back, this is terrible', ['complaint', 'praise']),
  ]);
  expect(classed.map(({ label }) => label)).toEqual(['sports', 'cooking', 'money', 'complaint']);
  expect(Object.keys(classed[0]?.scores ?? {})).toEqual(['sports', 'cooking', 'money']);
  expect(JSON.stringify(classed[0]?.scores)).toMatch(/^\{"sports":0\.\d{1,4},/);
});

test('fails only the bad items of a batch', async () => {
  const settled = await Promise.allSettled(
    ['first', '', { text: ' \n ' }, { texts: ['x'] }, 7, 'last'].map((payload) => embed(payload)),
  );
  expect(settled.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  expect(settled[1]).toMatchObject({ reason: { failure: 'permanent', code: 'empty_text' } });
  expect(settled[2]).toMatchObject({ reason: { message: expect.stringContaining('payload.text') } });
  expect(settled[3]).toMatchObject({ reason: { failure: 'permanent', code: 'invalid_payload' } });
  expect(settled[4]).toMatchObject({ reason: { failure: 'permanent', code: 'invalid_payload' } });
});

test('refuses params with one label', async () => {
  await expect(classify('hello', ['one'])).rejects.toMatchObject({ code: 'invalid_params' });
});

test('rejects with the reason of the signal before, during and while waiting for a batch', async () => {
  await expect(runtime.run(request('embed', 'x', { signal: AbortSignal.abort('before') }))).rejects.toBe(
    'before',
  );

  await embed('the child is there');
  const child = pidOf(runtime);
  process.kill(child, 'SIGSTOP');
  const controller = new AbortController();
  const running = runtime.run(request('embed', 'in flight', { signal: controller.signal }));
  await nextTurn();
  await nextTurn();
  const waiting = runtime.run(request('embed', 'in the queue', { signal: controller.signal }));
  const neighbour = embed('not aborted');
  controller.abort('stop');
  await expect(running).rejects.toBe('stop');
  await expect(waiting).rejects.toBe('stop');
  process.kill(child, 'SIGCONT');
  expect((await neighbour).embedding).toHaveLength(512);
});

test('fails the items in flight as crashed when the child is killed, and starts a new child', async () => {
  await embed('the child is there');
  const child = pidOf(runtime);
  // Stopped, it cannot answer before it is killed.
  process.kill(child, 'SIGSTOP');
  const inFlight = Promise.allSettled(['one', 'two', 'three'].map((text) => embed(text)));
  await nextTurn();
  await nextTurn();
  const waiting = embed('waits behind them');
  process.kill(child, 'SIGKILL');
  for (const outcome of await inFlight) {
    expect(outcome).toMatchObject({ reason: { failure: 'crashed', code: 'runtime_crashed' } });
    expect(outcome).toMatchObject({ reason: { message: expect.stringContaining('SIGKILL') } });
  }
  expect((await waiting).embedding).toHaveLength(512);
  expect(pidOf(runtime)).not.toBe(child);
});

test('keeps the child running at signals of the terminal, and ends it on close', async () => {
  const own = useLite();
  await own.run(request('embed', 'the child is there'));
  const child = pidOf(own);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(child, signal);
  await own.run(request('embed', 'still there'));
  expect(pidOf(own)).toBe(child);
  await own.close();
  expect(isRunning(child)).toBe(false);
  await expect(own.run(request('embed', 'too late'))).rejects.toMatchObject({ code: 'runtime_closed' });
});

test('ends the child when the worker is killed', async () => {
  const source = `
    import { useLite } from ${JSON.stringify(new URL('./use-lite.ts', import.meta.url).href)};
    const runtime = useLite();
    const signal = new AbortController().signal;
    await runtime.run({ job_type: 'embed', model: 'use-lite', params: {}, payload: 'hello', payloadText: '"hello"', signal });
    console.log(runtime.pid);
    for (;;) await runtime.run({ job_type: 'embed', model: 'use-lite', params: {}, payload: 'busy', payloadText: '"busy"', signal });`;
  const worker = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = (await once(worker.stdout, 'data')) as [Buffer];
  const child = Number(output.toString());
  expect(isRunning(child)).toBe(true);
  worker.kill('SIGKILL');
  await vi.waitFor(() => expect(isRunning(child)).toBe(false), { timeout: 30_000, interval: 50 });
});

test('offers nothing without the optional packages, and says what to install', () => {
  const from = pathToFileURL(join(tmpdir(), 'nothing-installed.js')).href;
  const source = `
    import { useLite } from ${JSON.stringify(new URL('./use-lite.ts', import.meta.url).href)};
    const runtime = useLite({ modulesFrom: ${JSON.stringify(from)} });
    const signal = new AbortController().signal;
    const request = { job_type: 'embed', model: 'use-lite', params: {}, payload: 'hello', payloadText: '"hello"', signal };
    const { failure, code, message, withdraws } = await runtime.run(request).catch((error) => error);
    console.log(JSON.stringify({ offers: runtime.offers, failure, code, message, withdraws }));
    await runtime.close();`;
  // A separate process, because pnpm starts vitest with a NODE_PATH under which everything is found.
  const args = ['--input-type=module', '--eval', source];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} });
  expect(JSON.parse(stdout)).toEqual({
    offers: [],
    failure: 'not_here',
    code: 'runtime_not_installed',
    withdraws: { reach: 'runtime', until: 'restart' },
    message: expect.stringContaining('npm install @energetic-ai/core@0.2.0') as string,
  });
});

function pidOf({ pid }: { readonly pid: number | undefined }): number {
  if (pid === undefined) throw new Error('no child runs');
  return pid;
}

/** Whether a process runs. A zombie is listed but does not run. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
