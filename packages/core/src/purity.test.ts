import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('testing/'))
  .map((path) => ({ path, text: withoutComments(readFileSync(`${import.meta.dirname}/${path}`, 'utf8')) }));

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

const specifiers = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"`])(.*?)\1/g)].map(
    ([, , specifier]) => specifier ?? '',
  );

/** Names that reach outside: clocks, random numbers, the process, the network, the disk, timers. */
const IMPURE =
  /\b(Date|performance|Temporal|random|crypto|process|globalThis|global|window|fetch|require|setTimeout|setInterval|setImmediate|queueMicrotask|Promise|async|await|console|eval|Function|import\.meta|WebSocket|Worker|Atomics|SharedArrayBuffer)\b/;

it('T12: finds the sources of core in every folder', () => {
  expect(sources.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['lifecycle/decide.ts', 'lifecycle/rules.ts', 'index.ts']),
  );
  expect(sources.flatMap(({ text }) => specifiers(text)).length).toBeGreaterThan(20);
});

/** Pure dependencies: a hash function and canonical JSON. */
const PURE = new Set(['@noble/hashes/sha2.js', '@noble/hashes/utils.js', 'canonicalize']);

it.each(sources)('T12: $path imports only files of core and pure functions', ({ text }) => {
  expect(
    specifiers(text).filter(
      (specifier) => !PURE.has(specifier) && !/^\.{1,2}\/([a-z-]+\/)?[a-z-]+\.ts$/.test(specifier),
    ),
  ).toEqual([]);
});

it.each(sources)('T12: $path reads no clock, draws no random number and does no I/O', ({ text }) => {
  expect(text.split('\n').filter((line) => IMPURE.test(line))).toEqual([]);
});

it.each([
  "import { readFile } from 'node:fs';",
  "export * from '@noble/hashes/sha2.js';",
  "import 'pino';",
  "const fs = await import('fs');",
])('T12: this check detects %s', (line) => {
  expect(specifiers(line)).toHaveLength(1);
});

it.each(['Date.now()', 'new Date()', 'Math.random()', 'crypto.randomUUID()', 'process.env', 'fetch(url)'])(
  'T12: this check detects %s',
  (line) => {
    expect(line).toMatch(IMPURE);
  },
);
