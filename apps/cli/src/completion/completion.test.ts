import { serveLocally } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { runInProcess } from '../testing/run-in-process.ts';

/** Returns the suggested words, and the last line: `:0` lets the shell complete paths, `:4` does not. */
async function complete(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { stdout } = await runInProcess(['complete', '--', ...words], { cwd: '/', env });
  const lines = stdout.trimEnd().split('\n');
  return { words: lines.slice(0, -1).map((line) => line.split('\t')[0]), last: lines.at(-1) };
}

it.each<[string[], string[], string]>([
  [['wo'], ['worker', 'workers'], ':4'],
  [['config', ''], ['path', 'show'], ':4'],
  [['keys', 'create', '--ro'], ['--role'], ':4'],
  [['results', '--status', 'o'], ['ok'], ':4'],
  [['run', '--type', 'cl'], ['classify'], ':4'],
  [['run', 'rev'], [], ':0'],
  [['run', 'a.csv', 'b'], [], ':0'],
  [['run', '--model', ''], [], ':4'],
  [['run', '--output', ''], [], ':0'],
  [['jobs', ''], [], ':4'],
  [['nope', ''], [], ':4'],
  [['completion', 'z'], ['zsh'], ':4'],
])('completes %j', async (words, suggested, last) => {
  expect(await complete(words)).toEqual({ words: suggested, last });
});

it('gives up on a control plane that does not answer', async () => {
  const url = await serveLocally(() => undefined);
  expect(await complete(['boots', ''], { MACBATCH_URL: url })).toEqual({ words: [], last: ':4' });
});
