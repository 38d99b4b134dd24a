import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WORKSPACE } from './testing/program.ts';

/** Workspace packages that each package may depend on, and so import: the picture of the design. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@macbatch/core': [],
  '@macbatch/testing': [],
  '@macbatch/contract': ['@macbatch/core'],
  '@macbatch/connection': ['@macbatch/core'],
  '@macbatch/store': ['@macbatch/connection', '@macbatch/core'],
  '@macbatch/postgres': ['@macbatch/connection', '@macbatch/core'],
  '@macbatch/settings': ['@macbatch/core'],
  '@macbatch/process': ['@macbatch/core', '@macbatch/settings'],
  '@macbatch/api': ['@macbatch/contract', '@macbatch/core', '@macbatch/store'],
  '@macbatch/client': ['@macbatch/contract'],
  '@macbatch/agent': ['@macbatch/client', '@macbatch/contract', '@macbatch/core'],
  '@macbatch/control': [
    '@macbatch/api',
    '@macbatch/core',
    '@macbatch/postgres',
    '@macbatch/process',
    '@macbatch/settings',
    '@macbatch/store',
  ],
  '@macbatch/worker': [
    '@macbatch/agent',
    '@macbatch/client',
    '@macbatch/core',
    '@macbatch/process',
    '@macbatch/settings',
  ],
  '@macbatch/terminal': ['@macbatch/client', '@macbatch/contract', '@macbatch/process'],
  '@macbatch/job-files': ['@macbatch/client', '@macbatch/contract', '@macbatch/core', '@macbatch/terminal'],
  '@macbatch/local-pool': ['@macbatch/core', '@macbatch/settings', '@macbatch/terminal'],
  '@macbatch/doctor': [
    '@macbatch/client',
    '@macbatch/contract',
    '@macbatch/core',
    '@macbatch/process',
    '@macbatch/terminal',
  ],
  '@macbatch/protocol': [
    '@macbatch/client',
    '@macbatch/contract',
    '@macbatch/local-pool',
    '@macbatch/settings',
    '@macbatch/terminal',
  ],
  macbatch: [
    '@macbatch/client',
    '@macbatch/contract',
    '@macbatch/core',
    '@macbatch/doctor',
    '@macbatch/job-files',
    '@macbatch/local-pool',
    '@macbatch/postgres',
    '@macbatch/process',
    '@macbatch/protocol',
    '@macbatch/settings',
    '@macbatch/terminal',
  ],
};

/** Programs that another one starts as processes, never imports. */
const MAY_SPAWN: Readonly<Record<string, readonly string[]>> = {
  '@macbatch/local-pool': ['@macbatch/control', '@macbatch/worker'],
};

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** What is in version control, or will be: others' build output is not ours to judge. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: WORKSPACE,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(WORKSPACE, path)));
const read = (path: string) => readFileSync(join(WORKSPACE, path), 'utf8');

const packages = files
  .filter((path) => /^(packages|apps)\/[^/]+\/package\.json$/.test(path))
  .map((path) => ({ folder: dirname(path), manifest: JSON.parse(read(path)) as Manifest }));

const sources = files
  .filter((path) => /^(packages|apps|tests|bench|replay)\/.*\.ts$/.test(path) && !path.endsWith('.d.ts'))
  .map((path) => ({
    path,
    text: read(path),
    code: withoutComments(read(path)),
    isTest: /\.test\.ts$|\.fixture\.ts$|\/testing\/|^(tests|bench|replay)\//.test(path),
  }));

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|[^:'"`])\/\/.*$/gm, '$1');
}

const specifiersIn = (code: string): string[] =>
  [...code.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g)].map(
    ([, , specifier]) => specifier ?? '',
  );
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
const isOurs = (name: string) => name === 'macbatch' || name.startsWith('@macbatch/');

/** Paths of the files in whose code a pattern is found. */
const found = (pattern: RegExp, among = sources) =>
  among.filter(({ code }) => pattern.test(code)).map(({ path }) => path);
const program = sources.filter(({ isTest }) => !isTest);

describe('the import table', () => {
  it('knows every package', () => {
    expect(packages.map(({ manifest }) => manifest.name).toSorted((a, b) => a.localeCompare(b))).toEqual(
      Object.keys(MAY_IMPORT).toSorted((a, b) => a.localeCompare(b)),
    );
  });

  it.each(packages)('$manifest.name depends on what it may', ({ manifest }) => {
    const needed = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter(isOurs);
    const allowed = [...(MAY_IMPORT[manifest.name] ?? []), ...(MAY_SPAWN[manifest.name] ?? [])];
    expect(needed.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it.each(packages)(
    '$manifest.name imports what it may, and what its manifest names',
    ({ folder, manifest }) => {
      const allowed = MAY_IMPORT[manifest.name] ?? [];
      const named = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
      const strangers = program
        .filter(({ path }) => path.startsWith(`${folder}/src/`))
        .flatMap(({ path, code }) =>
          specifiersIn(code)
            .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
            .map(packageOf)
            .filter((name) => (isOurs(name) ? !allowed.includes(name) : !named.includes(name)))
            .map((name) => `${path}: ${name}`),
        );
      expect(strangers).toEqual([]);
    },
  );

  it('an app is never imported, nor a file inside another package', () => {
    const apps = packages
      .filter(({ folder }) => folder.startsWith('apps/'))
      .map(({ manifest }) => manifest.name);
    const wrong = sources.flatMap(({ path, code }) =>
      specifiersIn(code)
        .filter(
          (specifier) =>
            apps.includes(packageOf(specifier)) ||
            /^@macbatch\/[^/]+\/(?!testing$|package\.json$)/.test(specifier) ||
            /^(\.\.\/)+(packages|apps)\//.test(specifier),
        )
        .map((specifier) => `${path}: ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it('code for tests is not part of a program', () => {
    const wrong = program
      .filter(({ code }) => specifiersIn(code).some((name) => /\/testing(\/|$)|vitest|fast-check/.test(name)))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it('T12: core depends on nothing but pure functions', () => {
    const core = packages.find(({ manifest }) => manifest.name === '@macbatch/core')?.manifest;
    expect(Object.keys({ ...core?.dependencies, ...core?.optionalDependencies })).toEqual([
      '@noble/hashes',
      'canonicalize',
    ]);
  });
});

describe('the outside world', () => {
  /** Programs of their own, which another process starts: as much an entrance as main.ts. */
  const entrances = /\/main\.ts$|-child\.ts$|\/supervisor\.ts$/;
  const inside = program.filter(({ path }) => !entrances.test(path));

  it.each([
    ['the environment is read', /\bprocess\.env\b(?!\s*=)/],
    ['the process is ended', /\bprocess\.(exit|abort)\(|\bprocess\.exitCode\s*=[^=]/],
    ['signals are handled', /\bprocess\.(on|once|addListener)\(/],
    ['the console is written to', /\bconsole\./],
  ])('%s only where a program begins', (_, pattern) => {
    expect(found(pattern, inside)).toEqual([]);
  });
});

describe('how it is written', () => {
  it('no file is named for being a heap of things', () => {
    const heaps = /^(utils?|helpers?|common|types|misc|shared|lib)$/;
    expect(
      sources
        .map(({ path }) => path)
        .filter((path) => path.split('/').some((part) => heaps.test(basename(part, '.ts')))),
    ).toEqual([]);
  });

  it.each([
    ['any', /(?:[:<,|&(]|\bas)\s*any\b(?!\s*[:(.])/],
    ['a promise to the compiler that something is there', /[\w)\]]!(?:[.;,)[\]]|\s*$)/m],
    ['a check that is switched off', /@ts-(?:ignore|nocheck)/],
  ])('there is no %s', (_, pattern) => {
    expect(found(pattern, program)).toEqual([]);
  });

  it('nothing is left to be done, and no lint rule is switched off without a reason', () => {
    const marks = new RegExp(`\\b(${['TO', 'DO|FIX', 'ME|XX', 'X'].join('')})\\b`);
    expect(sources.filter(({ text }) => marks.test(text)).map(({ path }) => path)).toEqual([]);
    const bare = /biome-ignore [^:\n]*(?:$|:\s*$)/m;
    expect(sources.filter(({ text }) => bare.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it.each([
    ['any', 'const x: any = 1'],
    ['any', 'x as any'],
    ['any', 'Map<string, any>'],
  ])('this test would see %s in %s', (_, code) => {
    expect(code).toMatch(/(?:[:<,|&(]|\bas)\s*any\b(?!\s*[:(.])/);
  });
});
