import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const sources = readdirSync(import.meta.dirname, { encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, code: withoutComments(readFileSync(`${import.meta.dirname}/${path}`, 'utf8')) }));

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

/** What a file imports or re-exports as values. Types leave no trace at run time. */
function valueImports(code: string): readonly string[] {
  const statements = /\b(?:import|export)\s+(?!type\b)(?:[\w\s{},*]*?\bfrom\s*)?(['"])([^'"\n]+)\1/g;
  const calls = /\b(?:import|require)\s*\(\s*(['"`])(.*?)\1/g;
  return [...code.matchAll(statements), ...code.matchAll(calls)].map(([, , specifier]) => specifier ?? '');
}

/** Names that reach outside: clocks, random numbers, the process, the network, the disk, timers. */
const IMPURE =
  /\b(Date|performance|Temporal|random|crypto|process|globalThis|global|window|fetch|require|setTimeout|setInterval|setImmediate|queueMicrotask|Promise|async|await|console|eval|Function|import\.meta|WebSocket|Worker|Atomics|SharedArrayBuffer|AbortController|AbortSignal)\b/;

it('finds the sources of the state machine', () => {
  expect(sources.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['step.ts', 'worker-state.ts', 'end-item.ts']),
  );
  expect(sources.flatMap(({ code }) => valueImports(code)).length).toBeGreaterThan(20);
});

it.each(sources)('$path imports values only from this folder', ({ code }) => {
  expect(valueImports(code).filter((specifier) => !/^\.\/[a-z-]+\.ts$/.test(specifier))).toEqual([]);
});

it.each(sources)('$path reads no clock, draws no random number and does no I/O', ({ code }) => {
  expect(code.split('\n').filter((line) => IMPURE.test(line))).toEqual([]);
});

it.each(sources)('$path keeps nothing between steps', ({ code }) => {
  expect(code.split('\n').filter((line) => /^(export )?(let|var)\b|\bclass\b/.test(line))).toEqual([]);
});

it.each([
  "import { readFile } from 'node:fs';",
  "import { Signal } from '../loops/signal.ts';",
  "import {\n  type Offer,\n  RunFailure,\n} from '../runtimes/runtime.ts';",
  "export * from '../loops/signal.ts';",
  "import 'pino';",
  "const fs = await import('fs');",
])('this check detects %s', (code) => {
  expect(valueImports(code)).toHaveLength(1);
});

it.each(['Date.now()', 'new Date()', 'Math.random()', 'process.env', 'fetch(url)', 'new AbortController()'])(
  'this check detects %s',
  (line) => {
    expect(line).toMatch(IMPURE);
  },
);
