import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this program. Its manifest is the nearest one above this file, also in a bundle. */
export const VERSION: string = (
  JSON.parse(readFileSync(findPackageJSON('.', import.meta.url) ?? '', 'utf8')) as {
    readonly version: string;
  }
).version;
