import { chmod, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { assetFiles, copyAssets } from '@macbatch/pages/assets';
import { type OutputChunk, rolldown } from 'rolldown';
import { launcherText } from './launcher.ts';
import { type NodeVersion, oldestNode } from './node-version.ts';
import { prebuiltExample } from './prebuilt-example.ts';
import { publishedManifest } from './published-manifest.ts';
import { thirdPartyNotices } from './third-party-notices.ts';
import { readManifest, WORKSPACE } from './workspace.ts';

/** The three programs. Each gets a launcher, which is what a user or another program starts. */
const PROGRAMS = {
  main: 'apps/cli/src/main.ts',
  control: 'apps/control/src/main.ts',
  worker: 'apps/worker/src/main.ts',
} as const;

/** Programs that only our own code starts, by a path beside its own file. */
const CHILDREN = {
  supervisor: 'packages/postgres/src/embedded/supervisor.ts',
  'use-lite-child': 'packages/agent/src/runtimes/use-lite/use-lite-child.ts',
} as const;

/** The folder of the package's documents: its README. */
const CLI = 'apps/cli';

/**
 * Builds the folder of the published package `macbatch`: the command line, the control plane and the worker with all
 * that they import, the migrations, and the licences of the bundled packages.
 */
export async function bundleMacbatch(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const dist = join(folder, 'dist');
  const manifest = publishedManifest(readManifest(CLI));
  const oldest = oldestNode(manifest.engines.node);
  const chunks = await bundlePrograms(dist, oldest);
  for (const name of Object.keys(PROGRAMS)) {
    const path = join(dist, `${name}.js`);
    await writeFile(path, launcherText(`./${programName(name)}.js`, oldest));
    await chmod(path, 0o755);
  }
  await copyMigrations(folder);
  await copyAssets(join(folder, 'assets'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(
    join(folder, 'THIRD-PARTY-NOTICES.txt'),
    await thirdPartyNotices([...modulesOf(chunks), ...assetFiles()]),
  );
  await cp(join(WORKSPACE, CLI, 'README.md'), join(folder, 'README.md'));
  await cp(join(WORKSPACE, 'LICENSE'), join(folder, 'LICENSE'));
}

async function bundlePrograms(dist: string, oldest: NodeVersion): Promise<OutputChunk[]> {
  const programs = Object.entries(PROGRAMS).map(([name, path]) => [programName(name), path] as const);
  const build = await rolldown({
    input: Object.fromEntries(
      [...programs, ...Object.entries(CHILDREN)].map(([name, path]) => [name, join(WORKSPACE, path)]),
    ),
    platform: 'node',
    // The control plane needs it only when it runs from source.
    external: ['tsx/esm/api'],
    // Newer syntax, such as `await using`, is rewritten.
    transform: { target: `node${oldest.join('.')}` },
    plugins: [prebuiltExample()],
    onLog: (_level, { code, message }) => {
      // For example an import that cannot be resolved: the program would fail when it is run.
      throw new Error(`${code}: ${message}`);
    },
  });
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    // All files are in one folder, because programs find each other beside their own file.
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
    // Without indents it is a quarter smaller. Names stay, for the traces of errors.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
  return output.filter((each) => each.type === 'chunk');
}

const programName = (name: string) => `${name}-program`;

const modulesOf = (chunks: readonly OutputChunk[]) => [
  ...new Set(chunks.flatMap(({ modules }) => Object.keys(modules))),
];

/** Copies what a control plane reads when it starts, without the snapshots of the development tool. */
async function copyMigrations(folder: string): Promise<void> {
  const target = join(folder, 'migrations');
  await mkdir(target);
  await cp(join(WORKSPACE, 'packages/store/migrations'), target, {
    recursive: true,
    filter: (path) => !/_snapshot\.json$/.test(basename(path)),
  });
}
