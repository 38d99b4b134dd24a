import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const packageDir = resolve(import.meta.dirname, '..');
const workspaceDir = resolve(packageDir, '../..');
const manifest = JSON.parse(readFileSync(join(workspaceDir, 'package.json'), 'utf8'));

const { PATH: searched = '' } = process.env;
const env = {
  ...process.env,
  // The same node for npx and npm as for this test.
  PATH: [dirname(process.execPath), searched].join(delimiter),
  // Packing must not install anything into the checkout that it packs.
  pnpm_config_verify_deps_before_run: 'false',
};

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(
      `${command} ${args.join(' ')} ended with ${status ?? error?.message}\n${stdout}\n${stderr}`,
    );
  }
  return stdout;
}

describe('the packed package, in a bare project', () => {
  const project = mkdtempSync(join(tmpdir(), 'macbatch-core-'));
  const installed = join(project, 'node_modules/@macbatch/core');
  const readme = readFileSync(join(packageDir, 'README.md'), 'utf8');

  /** The text of the README's first block in a language. */
  const block = (language: string): string => {
    const [, text] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme) ?? [];
    if (text === undefined) throw new Error(`the README has no block of ${language}`);
    return text;
  };

  beforeAll(() => {
    run('npx', ['-y', manifest.packageManager, 'pack', '--out', join(project, 'core.tgz')], packageDir);
    writeFileSync(join(project, 'package.json'), '{ "name": "bare", "private": true, "type": "module" }');
    run('npm', ['install', '--no-audit', '--no-fund', './core.tgz'], project);
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          target: 'es2024',
          lib: ['es2024', 'dom'],
          types: [],
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          outDir: 'out',
          rootDir: '.',
        },
        files: ['example.ts', 'misuse.ts'],
      }),
    );
    writeFileSync(join(project, 'example.ts'), block('ts'));
    writeFileSync(
      join(project, 'misuse.ts'),
      [
        "import { decide, newTask } from '@macbatch/core';",
        '// @ts-expect-error: types that reach the consumer know every event, and this is none',
        "decide(newTask(1, 'attempts'), { type: 'finish' });",
        '',
      ].join('\n'),
    );
  });

  afterAll(() => rmSync(project, { recursive: true }));

  it('T12: core installs without the workspace and brings pure functions alone', () => {
    const { dependencies, exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(dependencies)).toEqual(['@noble/hashes', 'canonicalize']);
    expect(exports).toEqual({ '.': { types: './dist/index.d.ts', default: './dist/index.js' } });
    expect(
      readdirSync(join(project, 'node_modules'))
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['@macbatch', '@noble', 'canonicalize']);
  });

  it('T12: packs the code, types, sources and documents into the tarball, without tests', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
    const modules = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('testing/'))
      .map((path) => path.slice(0, -'.ts'.length));
    const built = ['.js', '.js.map', '.d.ts', '.d.ts.map'];
    expect(new Set(files)).toEqual(
      new Set([
        ...['LICENSE', 'LIFECYCLE.md', 'README.md', 'package.json'],
        ...modules.flatMap((name) => [`src/${name}.ts`, ...built.map((end) => `dist/${name}${end}`)]),
      ]),
    );
  });

  it('T12: type-checks and runs the example of the README against the tarball', () => {
    run(process.execPath, [join(workspaceDir, 'node_modules/typescript/bin/tsc'), '-p', project], project);
    expect(run(process.execPath, ['out/example.js'], project)).toBe(block('text'));
  });
});
