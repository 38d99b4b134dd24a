import { type ModelList, type ModelObject, openAiRoutes } from '@macbatch/contract';
import type { OfferedModel } from '@macbatch/store';
import type { Surface } from '../requests/mount.ts';
import { OpenAiRefusal } from './openai-refusal.ts';
import { unixSeconds } from './unix-seconds.ts';

/** Mounts `/v1/models`: the models that alive workers offer. Workers serve every group, so all groups see the same. */
export function mountModels({ app, store, authenticator }: Surface): void {
  app.get(openAiRoutes.listModels.path, async (c) => {
    await authenticator.admitOpenAi(c);
    const list: ModelList = { object: 'list', data: (await store.offeredModels()).map(modelObject) };
    return c.json(list);
  });

  // The name of a model may contain slashes.
  app.get('/v1/models/:model{.+}', async (c) => {
    await authenticator.admitOpenAi(c);
    const name = c.req.param('model');
    const isStorable = name.isWellFormed() && !name.includes('\u0000');
    const [model] = isStorable ? await store.offeredModels(name) : [];
    if (model === undefined)
      throw new OpenAiRefusal(
        404,
        'model_not_found',
        `The model '${name}' does not exist: no worker that is alive offers it.`,
        'model',
      );
    return c.json(modelObject(model));
  });
}

function modelObject({ name, firstSeenAt }: OfferedModel): ModelObject {
  return {
    id: name,
    object: 'model',
    created: unixSeconds(firstSeenAt),
    owned_by: 'macbatch',
  };
}
