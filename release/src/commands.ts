import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { formulaText } from './formula.ts';
import { packAll, publishedFolders } from './pack.ts';
import { releaseNotes } from './release-notes.ts';
import { readManifest, WORKSPACE } from './workspace.ts';

const CLI = 'apps/cli';
/** The version of Node that Homebrew installs with the program: the one that runs our tests. */
const NODE_MAJOR = 24;

interface ReleaseCommand {
  readonly args: readonly string[];
  readonly what: string;
  /** Returns what to print. */
  run(...args: readonly string[]): Promise<string>;
}

/** What `npm run release` can do, in the order in which the release workflow does it. */
export const COMMANDS: Readonly<Record<string, ReleaseCommand>> = {
  check: {
    args: ['TAG'],
    what: 'fails unless the tag names the version of every package',
    async run(tag = '') {
      const folders = [CLI, ...(await publishedFolders())];
      const wrong = folders.filter((folder) => `v${readManifest(folder).version}` !== tag);
      if (wrong.length > 0) throw new Error(`the version is not that of the tag ${tag}: ${wrong.join(', ')}`);
      return `${folders.length} packages have the version of ${tag}\n`;
    },
  },
  repository: {
    args: ['URL'],
    what: 'writes the repository into the manifests: a package with a provenance must name it',
    async run(url = '') {
      for (const folder of [CLI, ...(await publishedFolders())]) {
        const path = join(WORKSPACE, folder, 'package.json');
        const manifest: object = JSON.parse(await readFile(path, 'utf8'));
        const repository = { type: 'git', url: `git+${url}.git`, directory: folder };
        await writeFile(path, `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`);
      }
      return '';
    },
  },
  pack: {
    args: ['FOLDER'],
    what: 'packs the package macbatch and the libraries',
    run: async (target = 'tarballs') => `${(await packAll(resolve(target))).join('\n')}\n`,
  },
  notes: {
    args: ['TAG'],
    what: 'prints the notes of a release from CHANGELOG.md',
    run: async (tag = '') =>
      releaseNotes(await readFile(join(WORKSPACE, 'CHANGELOG.md'), 'utf8'), tag.replace(/^v/, '')),
  },
  formula: {
    args: ['TARBALL', 'REPOSITORY-URL', 'TAG'],
    what: 'prints the Homebrew formula of a release that has the tarball as a file',
    async run(tarball = '', repository = '', tag = '') {
      const { license = '' } = readManifest(CLI);
      return formulaText({
        description: 'Batch inference on the Macs you already own',
        homepage: repository,
        url: `${repository}/releases/download/${tag}/${basename(tarball)}`,
        sha256: createHash('sha256')
          .update(await readFile(tarball))
          .digest('hex'),
        license,
        nodeMajor: NODE_MAJOR,
      });
    },
  },
};

/** The text of `npm run release` without a command. */
export const HELP: string = Object.entries(COMMANDS)
  .map(([name, { args, what }]) => `npm run release -- ${[name, ...args].join(' ')}\n    ${what}\n`)
  .join('');
