import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const WORKSPACE = resolve(import.meta.dirname, '../..');

/** The part of a `package.json` that this program reads. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly packageManager?: string;
  readonly engines?: { readonly node?: string };
  readonly repository?: unknown;
  readonly keywords?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Reads the manifest of a folder; a relative path is below the workspace. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(resolve(WORKSPACE, folder), 'package.json'), 'utf8')) as Manifest;
}
