import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Manifest = z.object({ version: z.string() });

/** The version of this program. */
export const VERSION: string = Manifest.parse(
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')),
).version;
