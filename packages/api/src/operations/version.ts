import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { z } from 'zod';

const Manifest = z.object({ version: z.string() });

/** The version of this release. Its manifest is the nearest one above this file, also in a bundle. */
export const VERSION: string = Manifest.parse(
  JSON.parse(readFileSync(findPackageJSON('.', import.meta.url) ?? '', 'utf8')),
).version;
