/** How this copy of macbatch was installed, and where. */
export type PackageSource =
  | { readonly kind: 'npm_global'; readonly prefix: string }
  | { readonly kind: 'homebrew' }
  | { readonly kind: 'checkout'; readonly folder: string }
  | { readonly kind: 'npx_cache' }
  | { readonly kind: 'project'; readonly folder: string }
  | { readonly kind: 'unknown' };

/** Finds out from the path of the worker's main file how macbatch was installed. */
export function packageSource(program: string): PackageSource {
  if (/\/_npx\/|\/dlx-|\/pnpm\/dlx\//.test(program)) return { kind: 'npx_cache' };
  if (/\/(?:Cellar|opt)\/macbatch\//.test(program)) return { kind: 'homebrew' };
  const checkout = /^(.*)\/apps\/worker\/src\/main\.ts$/.exec(program)?.[1];
  if (checkout !== undefined) return { kind: 'checkout', folder: checkout };
  const prefix = /^(.*)\/lib\/node_modules\/macbatch\//.exec(program)?.[1];
  if (prefix !== undefined) return { kind: 'npm_global', prefix };
  const project = /^(.*?)\/node_modules\/(?:.*\/)?macbatch\//.exec(program)?.[1];
  return project === undefined ? { kind: 'unknown' } : { kind: 'project', folder: project };
}

/** Replaces the folder of a version by Homebrew's link to the current one. */
export function stableProgram(program: string): string {
  return program.replace(/^(.*)\/Cellar\/macbatch\/[^/]+\//, '$1/opt/macbatch/');
}

/** A command that replaces the package. */
export interface UpgradeStep {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
}

/** Returns the commands that replace the package with its newest release, or null if only a person can. */
export function upgradeSteps(source: PackageSource): readonly UpgradeStep[] | null {
  switch (source.kind) {
    case 'npm_global':
      return [{ file: 'npm', args: ['install', '--global', '--prefix', source.prefix, 'macbatch@latest'] }];
    case 'homebrew':
      return [{ file: 'brew', args: ['upgrade', 'macbatch'] }];
    case 'checkout':
      return [
        { file: 'git', args: ['pull', '--ff-only'], cwd: source.folder },
        // Each script of a clone first installs what the new sources need.
        { file: 'npm', args: ['run', '--silent', 'macbatch', '--', '--version'], cwd: source.folder },
      ];
    case 'project':
      return [{ file: 'npm', args: ['install', 'macbatch@latest'], cwd: source.folder }];
    default:
      return null;
  }
}
