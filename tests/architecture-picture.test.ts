import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { WORKSPACE } from './testing/workspace.ts';

const PAGE = join(WORKSPACE, 'ARCHITECTURE.md');
const START = '<!-- written by tests/architecture-picture.test.ts -->';
const END = '<!-- end of the written part -->';

interface Package {
  readonly name: string;
  readonly folder: string;
  readonly description: string;
  readonly imports: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly description?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The packages under packages/ and apps/, with what each may import. */
function workspacePackages(): Package[] {
  const paths = execFileSync('git', ['ls-files', 'packages/*/package.json', 'apps/*/package.json'], {
    cwd: WORKSPACE,
    encoding: 'utf8',
  });
  const manifests = paths
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => ({
      folder: dirname(path),
      manifest: JSON.parse(readFileSync(join(WORKSPACE, path), 'utf8')) as Manifest,
    }));
  const folders = new Map(manifests.map(({ folder, manifest }) => [manifest.name, folder]));
  const isImportable = (name: string) => folders.get(name)?.startsWith('packages/') === true;
  return manifests.map(({ folder, manifest }) => ({
    name: manifest.name,
    folder,
    description: manifest.description ?? '',
    imports: Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
      .filter(isImportable)
      .toSorted((a, b) => a.localeCompare(b)),
  }));
}

const shortName = (name: string) => name.replace('@macbatch/', '');

/** Everything that a package imports, directly or not. */
function reachable(name: string, packages: ReadonlyMap<string, Package>): Set<string> {
  const direct = packages.get(name)?.imports ?? [];
  return new Set(direct.flatMap((each) => [each, ...reachable(each, packages)]));
}

/** The picture as Mermaid text. Leaves out an arrow that a longer path implies. */
function picture(packages: readonly Package[]): string {
  const byName = new Map(packages.map((each) => [each.name, each]));
  const arrows = packages.flatMap(({ name, imports }) =>
    imports
      .filter((target) => !imports.some((other) => other !== target && reachable(other, byName).has(target)))
      .map((target) => `  ${shortName(name)} --> ${shortName(target)}`),
  );
  const lonely = packages
    .filter(
      ({ name, imports }) => imports.length === 0 && !packages.some((each) => each.imports.includes(name)),
    )
    .map(({ name }) => `  ${shortName(name)}`);
  return ['```mermaid', 'graph TD', ...arrows, ...lonely, '```'].join('\n');
}

function table(packages: readonly Package[]): string {
  const rows = packages.map(
    ({ folder, description, imports }) =>
      `| \`${folder}\` | ${description} | ${imports.map(shortName).join(', ')} |`,
  );
  return ['| folder | what it is | imports |', '| --- | --- | --- |', ...rows].join('\n');
}

it('ARCHITECTURE.md shows every package and every import (run vitest with --update to rewrite it)', async () => {
  const packages = workspacePackages();
  expect(packages.filter(({ description }) => description === '').map(({ name }) => name)).toEqual([]);
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest = ''] = page.split(START);
  const [, after] = rest.split(END);
  const written = `${before}${START}\n\n${picture(packages)}\n\n${table(packages)}\n\n${END}${after}`;
  await expect(written).toMatchFileSnapshot('../ARCHITECTURE.md');
});
