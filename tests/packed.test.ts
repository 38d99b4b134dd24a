import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { testFolder, until } from '@macbatch/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesBelow, makeFolder } from './testing/folders.ts';
import { linkOptionalPackages } from './testing/optional-packages.ts';
import { jsonLines, processesWith, start } from './testing/program.ts';
import { WORKSPACE } from './testing/workspace.ts';

/** The Node that runs the installed program. The workflow sets it, and runs these tests with each version. */
const { MACBATCH_PACKED_NODE: node = process.execPath, PATH = '' } = process.env;
const MAX_PACKED_BYTES = 5_000_000;
const MAX_PACKAGES = 20;

const packed = makeFolder('macbatch-packed-');
const tarballs = join(packed, 'tarballs');
const project = join(packed, 'project');
const installed = join(project, 'node_modules/macbatch');
const libraries = join(packed, 'libraries');
/** The libraries that the test installs. Each brings what it imports. */
const IMPORTED = ['core', 'connection', 'contract', 'client', 'store'] as const;

async function run(command: string, args: readonly string[], cwd = packed): Promise<string> {
  // The same Node for npm as for this test.
  const env = { ...process.env, NODE_PATH: '', PATH: [dirname(process.execPath), PATH].join(delimiter) };
  return (await promisify(execFile)(command, args, { cwd, env })).stdout;
}

/** Installs tarballs into a new project, without the optional packages. */
async function install(folder: string, paths: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "bare", "private": true, "type": "module" }');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=optional'];
  await run('npm', ['install', ...quiet, ...paths], folder);
}

beforeAll(async () => {
  const paths = (await run(process.execPath, [join(WORKSPACE, 'release/src/main.ts'), 'pack', tarballs]))
    .trim()
    .split('\n');
  const [macbatch = ''] = paths;
  await Promise.all([
    install(project, [macbatch]),
    install(
      libraries,
      IMPORTED.map((name) => paths.find((path) => path.includes(`macbatch-${name}-`)) ?? name),
    ),
  ]);
}, 300_000);

afterAll(() => rmSync(packed, { recursive: true, force: true }));

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Starts an installed program. */
const startInstalled = (args: readonly string[], folder: string) =>
  start('cli', args, {
    command: [node, join(project, 'node_modules/.bin/macbatch')],
    cwd: folder,
    // With NODE_PATH, which pnpm sets, the program would find the packages of the workspace.
    env: { NODE_PATH: '', TEST_FOLDER: folder, MACBATCH_DATA_DIR: join(folder, 'data') },
  });

describe('the installed package macbatch', () => {
  it('is one package of less than 5 MB, with its documents and licences', () => {
    const files = filesBelow(join(project, 'node_modules'));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    expect(bytes).toBeLessThan(MAX_PACKED_BYTES);
    expect(files.filter(({ path }) => path.endsWith('/package.json')).length).toBeLessThanOrEqual(
      MAX_PACKAGES,
    );
    const content = [
      'LICENSE',
      'README.md',
      'THIRD-PARTY-NOTICES.txt',
      'assets',
      'dist',
      'migrations',
      'package.json',
    ];
    expect(new Set(readdirSync(installed))).toEqual(new Set(content));
    const notices = readFileSync(join(installed, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['zod', 'hono', 'postgres', 'undici', 'pino', 'commander', 'htmx.org', 'uplot'])
      expect(notices).toMatch(new RegExp(`^${name} [\\d.]+ \\(`, 'm'));
    expect(notices).not.toContain('@macbatch/');
  });

  it('prints its version', async () => {
    const { version } = manifestOf(installed);
    const ended = await startInstalled(['--version'], testFolder()).ended;
    expect(ended).toEqual({ exit: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('loads less than 150 kB of code to list its commands', () => {
    const dist = join(installed, 'dist');
    const loaded = new Set(['main-program.js']);
    for (const file of loaded)
      for (const [, imported = ''] of readFileSync(join(dist, file), 'utf8').matchAll(
        /\b(?:import|export)[^"'();]*"\.\/([^"]+)"/g,
      ))
        loaded.add(imported);
    const bytes = [...loaded].reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);
    expect(loaded.size).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(150_000);
  });

  it('names the command that installs a missing optional package', async () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'items.jsonl'), '"a"\n');
    const runs = await Promise.all(
      [
        ['run', 'items.jsonl', '--type', 'noop', '--model', 'noop'],
        ['run', 'items.jsonl', '--type', 'embed'],
      ].map((args) => startInstalled(args, folder).ended),
    );
    const install = 'npm install -g macbatch --include=optional';
    expect(runs).toMatchObject([{ exit: 3 }, { exit: 2 }]);
    for (const { stderr } of runs) expect(stderr).toContain(install);
  });

  describe('with the optional packages', () => {
    // Linked instead of downloaded: they are 90 MB.
    beforeAll(() => linkOptionalPackages(installed));

    it('runs the embedded model over a file', async () => {
      const folder = testFolder();
      const texts = { economy: 'Wages rise and jobs return.', health: 'The hospital needs more doctors.' };
      writeFileSync(
        join(folder, 'items.jsonl'),
        Object.entries(texts)
          .map(([id, payload]) => `${JSON.stringify({ id, payload })}\n`)
          .join(''),
      );
      const params = JSON.stringify({ labels: Object.keys(texts) });
      const args = [
        'run',
        'items.jsonl',
        '--type',
        'classify',
        '--params',
        params,
        '--workers',
        '1',
        '-o',
        '-',
      ];
      const ended = await startInstalled(args, folder).ended;
      expect(ended).toMatchObject({ exit: 0 });
      expect(jsonLines(ended.stdout)).toMatchObject(
        Object.keys(texts).map((label) => ({ id: label, status: 'ok', output: { label } })),
      );
      expect(processesWith(folder)).toEqual([]);
    });

    it('runs a control plane and a worker, which stop with all of their children at a signal to their pid', async () => {
      const folder = testFolder();
      const up = startInstalled(['up', '--port', '0', '--json'], folder);
      const url = await until(() => jsonLines(up.stdout())[0]?.['url'] as string | undefined);
      const worker = startInstalled(['worker', '--url', url], folder);
      const [doctor] = await Promise.all([
        startInstalled(['doctor', '--url', url, '--json'], folder).ended,
        worker.event('worker.running'),
      ]);
      expect(doctor).toMatchObject({ exit: 0 });
      expect(jsonLines(doctor.stdout)[0]?.['findings']).toContainEqual(
        expect.objectContaining({ check: 'node', state: 'ok' }),
      );
      const page = await fetch(url);
      expect(await page.text()).toContain('No job yet');
      worker.kill('SIGINT');
      expect(await worker.ended).toMatchObject({ exit: 0 });
      up.kill('SIGTERM');
      expect(await up.ended).toMatchObject({ exit: 0 });
      expect(processesWith(folder)).toEqual([]);
    });
  });
});

describe('the tarballs', () => {
  it('contain compiled code and a licence', async () => {
    const paths = readdirSync(tarballs);
    expect(paths.length).toBeGreaterThan(10);
    await Promise.all(
      paths.map(async (path) => {
        const files = (await run('tar', ['-tzf', join(tarballs, path)])).split('\n');
        expect(files).toEqual(expect.arrayContaining(['package/package.json', 'package/LICENSE']));
        expect(files.some((file) => /^package\/dist\/(index|main)\.js$/.test(file))).toBe(true);
      }),
    );
  });

  it('of the libraries can be imported', async () => {
    const code = `for (const name of ${JSON.stringify(IMPORTED)}) {
      const exported = Object.keys(await import(\`@macbatch/\${name}\`));
      if (exported.length === 0) throw new Error(\`\${name} exports nothing\`);
    }`;
    await run(node, ['--input-type=module', '-e', code], libraries);
  });
});

describe('the packed core', () => {
  const core = join(libraries, 'node_modules/@macbatch/core');
  const sources = join(WORKSPACE, 'packages/core');
  const readme = readFileSync(join(sources, 'README.md'), 'utf8');

  /** The text of the README's first block in a language. */
  const block = (language: string): string => {
    const [, text] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme) ?? [];
    if (text === undefined) throw new Error(`the README has no block of ${language}`);
    return text;
  };

  it('T12: core needs only packages of pure functions, which need no others', () => {
    const { dependencies, exports } = manifestOf(core);
    expect(Object.keys(dependencies)).toEqual(['@noble/hashes', 'canonicalize']);
    expect(exports).toEqual({ '.': { types: './dist/index.d.ts', default: './dist/index.js' } });
    for (const name of Object.keys(dependencies))
      expect(manifestOf(join(libraries, 'node_modules', name)).dependencies ?? {}).toEqual({});
  });

  it('T12: packs the code, types, sources and documents into the tarball, without tests', () => {
    const files = filesBelow(core).map(({ path }) => path.slice(core.length + 1));
    const modules = readdirSync(join(sources, 'src'), { recursive: true, encoding: 'utf8' })
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

  it('T12: type-checks and runs the example of the README against the tarball', async () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'dom'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      outDir: 'out',
      rootDir: '.',
    };
    writeFileSync(
      join(libraries, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['example.ts', 'misuse.ts'] }),
    );
    writeFileSync(join(libraries, 'example.ts'), block('ts'));
    writeFileSync(
      join(libraries, 'misuse.ts'),
      [
        "import { decide, newTask } from '@macbatch/core';",
        '// @ts-expect-error: types that reach the consumer know every event, and this is none',
        "decide(newTask(1, 'attempts'), { type: 'finish' });",
        '',
      ].join('\n'),
    );
    await run(
      process.execPath,
      [join(WORKSPACE, 'node_modules/typescript/bin/tsc'), '-p', libraries],
      libraries,
    );
    expect(await run(process.execPath, ['out/example.js'], libraries)).toBe(block('text'));
  });
});
