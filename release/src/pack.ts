import { execFile } from 'node:child_process';
import { glob, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundleMacbatch } from './bundle.ts';
import { readManifest, WORKSPACE } from './workspace.ts';

const run = promisify(execFile);

/** Packs the package `macbatch` and every library into tarballs. Returns their paths, with `macbatch` first. */
export async function packAll(target: string): Promise<string[]> {
  await mkdir(target, { recursive: true });
  const staging = await mkdtemp(join(tmpdir(), 'macbatch-pack-'));
  try {
    const [macbatch, libraries] = await Promise.all([packMacbatch(staging, target), packLibraries(target)]);
    return [macbatch, ...libraries];
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function packMacbatch(staging: string, target: string): Promise<string> {
  await bundleMacbatch(staging);
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', target], { cwd: staging });
  return tarball(target, readManifest('apps/cli'));
}

/** Compiles and packs the packages that others can import, and the programs that they start. */
async function packLibraries(target: string): Promise<string[]> {
  const folders = await publishedFolders();
  await Promise.all(
    folders.map((folder) => rm(join(WORKSPACE, folder, 'dist'), { recursive: true, force: true })),
  );
  // `npm test` and `npm run check` check the types.
  await run(process.execPath, ['node_modules/typescript/bin/tsc', '-b', '--noCheck', 'tsconfig.build.json'], {
    cwd: WORKSPACE,
  });
  const { packageManager = '' } = readManifest('.');
  await run(
    'npx',
    [
      ...['-y', packageManager, '-r', '--silent'],
      ...folders.flatMap((folder) => ['--filter', `./${folder}`]),
      ...['pack', '--pack-destination', target, '--config.ignore-scripts=true'],
    ],
    // Packing must not install anything into the checkout that it packs.
    { cwd: WORKSPACE, env: { ...process.env, pnpm_config_verify_deps_before_run: 'false' } },
  );
  return folders.map((folder) => tarball(target, readManifest(folder)));
}

/** Lists the folders of the packages that are published as they are in the workspace. */
export async function publishedFolders(): Promise<string[]> {
  const folders: string[] = [];
  for await (const path of glob('{packages,apps}/*/package.json', { cwd: WORKSPACE }))
    if (readManifest(dirname(path)).private !== true) folders.push(dirname(path));
  return folders.toSorted((a, b) => a.localeCompare(b));
}

const tarball = (target: string, { name, version }: { name: string; version: string }) =>
  join(target, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
