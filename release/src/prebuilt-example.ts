import { exampleBatch } from '@macbatch/job-files';
import type { Plugin } from 'rolldown';

/**
 * Puts the passages of the example batch into the bundle, instead of the module that reads them from a data set of
 * 850 files and 22 MB.
 */
export function prebuiltExample(): Plugin {
  return {
    name: 'prebuilt-example',
    load: {
      filter: { id: /\/job-files\/src\/example-passages\.ts$/ },
      handler: async () => {
        const passages: { id: string; text: string }[] = [];
        for await (const line of exampleBatch().lines()) {
          const { id, payload } = JSON.parse(line) as { id: string; payload: { text: string } };
          passages.push({ id, text: payload.text });
        }
        return {
          code: `export async function* examplePassages() { yield* ${JSON.stringify(passages)}; }`,
          moduleType: 'js',
        };
      },
    },
  };
}
