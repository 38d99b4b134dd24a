import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const sources = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: withoutComments(readFileSync(`${import.meta.dirname}/${name}`, 'utf8')) }));

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

const specifiers = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"`])(.*?)\1/g)].map(
    ([, , specifier]) => specifier ?? '',
  );

/** What would let the outside in: clocks, chance, the process, the network, the disk, timers. */
const IMPURE =
  /\b(Date|performance|Temporal|random|crypto|process|globalThis|global|window|fetch|require|setTimeout|setInterval|setImmediate|queueMicrotask|Promise|async|await|console|eval|Function|import\.meta|WebSocket|Worker|Atomics|SharedArrayBuffer)\b/;

it('T12: core has sources to look at', () => {
  expect(sources.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['decide.ts', 'rules.ts', 'index.ts']),
  );
  expect(sources.flatMap(({ text }) => specifiers(text)).length).toBeGreaterThan(20);
});

/** Pure functions themselves: a hash, and canonical JSON. */
const PURE = new Set(['@noble/hashes/sha2.js', '@noble/hashes/utils.js', 'canonicalize']);

it.each(sources)('T12: $name imports nothing but files of core and pure functions', ({ text }) => {
  expect(
    specifiers(text).filter((specifier) => !PURE.has(specifier) && !/^\.\/[a-z-]+\.ts$/.test(specifier)),
  ).toEqual([]);
});

it.each(sources)('T12: $name reads no clock, draws no random number and does no I/O', ({ text }) => {
  expect(text.split('\n').filter((line) => IMPURE.test(line))).toEqual([]);
});

it.each([
  "import { readFile } from 'node:fs';",
  "export * from '@noble/hashes/sha2.js';",
  "import 'pino';",
  "const fs = await import('fs');",
])('T12: this test would see %s', (line) => {
  expect(specifiers(line)).toHaveLength(1);
});

it.each(['Date.now()', 'new Date()', 'Math.random()', 'crypto.randomUUID()', 'process.env', 'fetch(url)'])(
  'T12: this test would see %s',
  (line) => {
    expect(line).toMatch(IMPURE);
  },
);
