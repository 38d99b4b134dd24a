import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const Manifest = z.object({ bin: z.record(z.string(), z.string()) });

/** Finds the main file of a package's program: in the same bundle, or else in the package's manifest. */
export function programPath(packageName: string): string {
  const bundled = fileURLToPath(new URL(`./${packageName.replace('@macbatch/', '')}.js`, import.meta.url));
  if (existsSync(bundled)) return bundled;
  const require = createRequire(import.meta.url);
  const manifestPath = require.resolve(`${packageName}/package.json`);
  const bin = Object.values(Manifest.parse(require(manifestPath)).bin)[0];
  if (bin === undefined) throw new Error(`${packageName} has no program`);
  return join(dirname(manifestPath), bin);
}
