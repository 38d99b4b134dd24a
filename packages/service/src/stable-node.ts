import { join } from 'node:path';

/** The facts about files that the choice needs. */
export interface NodeFiles {
  /** The real path of the Node that runs now. Package managers delete it at the next upgrade. */
  readonly execPath: string;
  readonly pathFolders: readonly string[];
  /** Follows links. Returns null for a file that does not exist. */
  realPath(path: string): string | null;
}

/** Folders of links that exist only as long as a shell. */
const OF_ONE_SHELL = /\/fnm_multishells\//;

/** Finds a path of the Node that runs now which stays valid after an upgrade of Node, as far as there is one. */
export function stableNode({ execPath, pathFolders, realPath }: NodeFiles): string {
  const [, prefix, formula] = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/bin\/node$/.exec(execPath) ?? [];
  const linked = prefix === undefined ? [] : [`${prefix}/opt/${formula}/bin/node`];
  const onPath = pathFolders
    .filter((folder) => folder.startsWith('/') && !OF_ONE_SHELL.test(folder))
    .map((folder) => join(folder, 'node'));
  const own = realPath(execPath);
  return [...linked, ...onPath].find((path) => own !== null && realPath(path) === own) ?? execPath;
}
