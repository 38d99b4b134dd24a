import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Finding, parseSource, type SourceFile, workspaceFiles } from './testing/source-files.ts';
import { WORKSPACE } from './testing/workspace.ts';

/** The workspace packages that each package may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@macbatch/core': [],
  '@macbatch/testing': [],
  '@macbatch/machine': [],
  '@macbatch/contract': ['@macbatch/core'],
  '@macbatch/connection': ['@macbatch/core'],
  '@macbatch/store': ['@macbatch/connection', '@macbatch/core'],
  '@macbatch/postgres': ['@macbatch/connection', '@macbatch/core'],
  '@macbatch/settings': ['@macbatch/core', '@macbatch/machine'],
  '@macbatch/process': ['@macbatch/core', '@macbatch/settings'],
  '@macbatch/api': ['@macbatch/contract', '@macbatch/core', '@macbatch/store'],
  '@macbatch/client': ['@macbatch/contract'],
  '@macbatch/agent': ['@macbatch/client', '@macbatch/contract', '@macbatch/core'],
  '@macbatch/control': [
    '@macbatch/api',
    '@macbatch/core',
    '@macbatch/pages',
    '@macbatch/postgres',
    '@macbatch/process',
    '@macbatch/settings',
    '@macbatch/store',
  ],
  '@macbatch/worker': [
    '@macbatch/agent',
    '@macbatch/client',
    '@macbatch/core',
    '@macbatch/machine',
    '@macbatch/process',
    '@macbatch/settings',
  ],
  '@macbatch/wording': ['@macbatch/contract'],
  '@macbatch/pages': [
    '@macbatch/client',
    '@macbatch/contract',
    '@macbatch/core',
    '@macbatch/job-files',
    '@macbatch/wording',
  ],
  '@macbatch/terminal': [
    '@macbatch/client',
    '@macbatch/contract',
    '@macbatch/core',
    '@macbatch/process',
    '@macbatch/wording',
  ],
  '@macbatch/job-files': ['@macbatch/client', '@macbatch/contract', '@macbatch/core', '@macbatch/terminal'],
  '@macbatch/local-pool': ['@macbatch/core', '@macbatch/settings', '@macbatch/terminal'],
  '@macbatch/doctor': [
    '@macbatch/client',
    '@macbatch/contract',
    '@macbatch/core',
    '@macbatch/process',
    '@macbatch/terminal',
  ],
  '@macbatch/service': ['@macbatch/core', '@macbatch/process', '@macbatch/terminal'],
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
    '@macbatch/machine',
    '@macbatch/postgres',
    '@macbatch/process',
    '@macbatch/protocol',
    '@macbatch/service',
    '@macbatch/settings',
    '@macbatch/terminal',
  ],
};

/** Programs that a package starts as processes and never imports. */
const MAY_SPAWN: Readonly<Record<string, readonly string[]>> = {
  '@macbatch/local-pool': ['@macbatch/control', '@macbatch/worker'],
};

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const files = workspaceFiles();
const read = (path: string) => readFileSync(join(WORKSPACE, path), 'utf8');

const packages = files
  .filter((path) => /^(packages|apps)\/[^/]+\/package\.json$/.test(path))
  .map((path) => ({ folder: dirname(path), manifest: JSON.parse(read(path)) as Manifest }));

const sources = files
  .filter(
    (path) => /^(packages|apps|tests|bench|replay|release)\/.*\.tsx?$/.test(path) && !path.endsWith('.d.ts'),
  )
  .map((path) => parseSource(path, read(path)));
const program = sources.filter(({ isTest }) => !isTest);

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
const isOurs = (name: string) => name === 'macbatch' || name.startsWith('@macbatch/');
const dependenciesOf = ({ dependencies, optionalDependencies }: Manifest) =>
  Object.keys({ ...dependencies, ...optionalDependencies });
const sorted = (names: readonly string[]) => names.toSorted((a, b) => a.localeCompare(b));

/** Lists the imports that match, as `file: module`. */
const importsWhere = (among: readonly SourceFile[], matches: (specifier: string) => boolean) =>
  among.flatMap(({ path, specifiers }) =>
    specifiers.filter(matches).map((specifier) => `${path}: ${specifier}`),
  );
const pathsWith = (finding: Finding, among: readonly SourceFile[]) =>
  among.filter(({ findings }) => findings.has(finding)).map(({ path }) => path);

describe('the import table', () => {
  it('has a row for every package', () => {
    expect(sorted(packages.map(({ manifest }) => manifest.name))).toEqual(sorted(Object.keys(MAY_IMPORT)));
  });

  it.each(packages)('$manifest.name depends only on allowed packages', ({ manifest }) => {
    const allowed = [...(MAY_IMPORT[manifest.name] ?? []), ...(MAY_SPAWN[manifest.name] ?? [])];
    const needed = dependenciesOf(manifest).filter(isOurs);
    expect(needed.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it.each(packages)(
    '$manifest.name imports only allowed packages, and only its own dependencies',
    ({ folder, manifest }) => {
      const allowed = MAY_IMPORT[manifest.name] ?? [];
      const dependencies = dependenciesOf(manifest);
      const own = program.filter(({ path }) => path.startsWith(`${folder}/src/`));
      const wrong = importsWhere(own, (specifier) => {
        if (specifier.startsWith('.') || specifier.startsWith('node:')) return false;
        // Only from source, where Node does not load JSX by itself.
        if (specifier === 'tsx/esm/api' && folder === 'apps/control') return false;
        const name = packageOf(specifier);
        return isOurs(name) ? !allowed.includes(name) : !dependencies.includes(name);
      });
      expect(wrong).toEqual([]);
    },
  );

  it('has no import of an app, or of a file inside another package', () => {
    const apps = packages
      .filter(({ folder }) => folder.startsWith('apps/'))
      .map(({ manifest }) => manifest.name);
    const wrong = importsWhere(
      sources,
      (specifier) =>
        apps.includes(packageOf(specifier)) ||
        /^@macbatch\/[^/]+\/(?!testing$|assets$|package\.json$)/.test(specifier) ||
        /^(\.\.\/)+(packages|apps)\//.test(specifier),
    );
    // This one runs the command line in the process of a test.
    const allowed = 'tests/testing/command.ts: ../../apps/cli/src/testing/run-in-process.ts';
    expect(wrong.filter((each) => each !== allowed)).toEqual([]);
  });

  it('keeps test code out of programs', () => {
    expect(importsWhere(program, (name) => /\/testing(\/|$)|vitest|fast-check/.test(name))).toEqual([]);
  });

  it('T12: core depends only on pure functions', () => {
    const core = packages.find(({ manifest }) => manifest.name === '@macbatch/core');
    expect(core === undefined ? [] : dependenciesOf(core.manifest)).toEqual([
      '@noble/hashes',
      'canonicalize',
    ]);
  });
});

describe('only the main file of a program', () => {
  /** Main files, and the main files of child processes. */
  const mainFiles = /\/main\.ts$|-child\.ts$|\/supervisor\.ts$/;
  const inside = program.filter(({ path }) => !mainFiles.test(path));

  it.each<Finding>(['reads the environment', 'ends the process', 'handles signals', 'writes to the console'])(
    '%s',
    (finding) => {
      expect(pathsWith(finding, inside)).toEqual([]);
      expect(pathsWith(finding, program).length).toBeGreaterThan(
        finding === 'writes to the console' ? -1 : 0,
      );
    },
  );
});

describe('sources', () => {
  it('have no file or folder with a name that fits anything', () => {
    const vague = /^(utils?|helpers?|common|types|misc|shared|lib)$/;
    const parts = (path: string) => path.split('/').map((part) => basename(part, '.ts'));
    expect(
      sources.map(({ path }) => path).filter((path) => parts(path).some((part) => vague.test(part))),
    ).toEqual([]);
  });

  it.each<Finding>(['any', 'non-null assertion'])('of programs contain no %s', (finding) => {
    expect(pathsWith(finding, program)).toEqual([]);
  });

  const commented = (pattern: RegExp) =>
    sources.filter(({ comments }) => comments.some((text) => pattern.test(text))).map(({ path }) => path);

  it('switch off no type check', () => {
    expect(commented(/@ts-(?:ignore|nocheck)/)).toEqual([]);
  });

  it('have no to-do comments', () => {
    const words = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'];
    expect(commented(new RegExp(`\\b(${words.join('|')})\\b`))).toEqual([]);
  });

  it('switch off a lint rule only with a reason', () => {
    expect(commented(/biome-ignore [^:\n]*(?:$|:\s*$)/m)).toEqual([]);
  });
});

describe('parseSource', () => {
  it.each<[Finding, string]>([
    ['any', 'const x: any = 1'],
    ['any', 'f(x as any)'],
    ['any', 'let x: Map<string, any>'],
    ['non-null assertion', 'f(x!)'],
    ['reads the environment', 'const { HOME } = process.env'],
    ['ends the process', 'process.exit()'],
    ['ends the process', 'process.exitCode = 1'],
    ['handles signals', "process.once('SIGTERM', f)"],
    ['writes to the console', 'console.log(1)'],
  ])('finds: %s in `%s`', (finding, code) => {
    expect([...parseSource('a.ts', code).findings]).toEqual([finding]);
  });

  it('finds every kind of import, and none in a string', () => {
    const code = `
      import 'a'; import type { B } from 'b'; export { c } from 'c'; export * from 'd';
      const e = await import('e'); type F = import('f').F; const text = "import 'g'";`;
    expect(sorted(parseSource('a.ts', code).specifiers)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });
});
