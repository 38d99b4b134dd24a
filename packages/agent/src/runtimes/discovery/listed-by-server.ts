import type { EndpointJobType } from '../endpoint/completion-request.ts';
import { elements, member } from '../json-value.ts';
import { type FoundModel, readModels, tokenCount } from './found-model.ts';
import { SERVER_KINDS } from './server-kinds.ts';

/** Models of these families only embed. Newer releases of Ollama list what a model can do instead. */
const EMBEDDING_FAMILY = /bert/i;

/** Reads the models of Ollama's `GET /api/tags`, and of its `GET /api/ps`, which lists the loaded ones. */
export function ollamaModels(tags: unknown, ps: unknown): readonly FoundModel[] {
  const running = elements(member(ps, 'models'));
  return readModels(member(tags, 'models'), 'name', (entry) => {
    // Such a model runs on another machine, so its prompts would leave this one.
    if (member(entry, 'remote_host') || member(entry, 'remote_model')) return null;
    const loaded = running.find((one) => member(one, 'name') === member(entry, 'name'));
    return {
      jobTypes: ollamaJobTypes(entry),
      loaded: loaded !== undefined,
      contextLength: tokenCount(member(loaded, 'context_length')),
    };
  });
}

function ollamaJobTypes(entry: unknown): readonly EndpointJobType[] {
  const capabilities = elements(member(entry, 'capabilities'));
  if (capabilities.length > 0) {
    return [
      ...(capabilities.includes('completion') ? (['chat', 'generate'] as const) : []),
      ...(capabilities.includes('embedding') ? (['embed'] as const) : []),
    ];
  }
  const family = member(member(entry, 'details'), 'family');
  return typeof family === 'string' && EMBEDDING_FAMILY.test(family)
    ? ['embed']
    : SERVER_KINDS.ollama.jobTypes;
}

/** Reads the models of LM Studio's `GET /api/v1/models`, or of the older `GET /api/v0/models`. */
export function lmStudioModels(v1: unknown, v0: unknown): readonly FoundModel[] {
  const models = member(v1, 'models');
  if (Array.isArray(models)) {
    return readModels(models, 'key', (entry) => {
      const [instance] = elements(member(entry, 'loaded_instances'));
      return {
        jobTypes: lmStudioJobTypes(member(entry, 'type')),
        loaded: instance !== undefined,
        contextLength: tokenCount(
          instance === undefined
            ? member(entry, 'max_context_length')
            : member(member(instance, 'config'), 'context_length'),
        ),
      };
    });
  }
  return readModels(member(v0, 'data'), 'id', (entry) => {
    const loaded = member(entry, 'state') === 'loaded';
    return {
      jobTypes: lmStudioJobTypes(member(entry, 'type')),
      loaded,
      contextLength: tokenCount(
        (loaded ? member(entry, 'loaded_context_length') : undefined) ?? member(entry, 'max_context_length'),
      ),
    };
  });
}

function lmStudioJobTypes(type: unknown): readonly EndpointJobType[] {
  return type === 'embedding' || type === 'embeddings' ? ['embed'] : ['chat', 'generate'];
}

/** Reads the models of llama-server's `GET /v1/models`. With one model, `GET /props` has its context length. */
export function llamaServerModels(list: unknown, props: unknown): readonly FoundModel[] {
  const ownContext = member(member(props, 'default_generation_settings'), 'n_ctx');
  return readModels(member(list, 'data'), 'id', (entry) => {
    // Only a router, which has several models, says which are loaded.
    const status = member(member(entry, 'status'), 'value');
    return {
      jobTypes: SERVER_KINDS['llama-server'].jobTypes,
      loaded: typeof status === 'string' ? status === 'loaded' : true,
      contextLength: tokenCount(member(member(entry, 'meta'), 'n_ctx')) ?? tokenCount(ownContext),
    };
  });
}

/** Reads the models of an OpenAI-compatible `GET /v1/models`. `contextMember` is what the server calls the context length. */
export function openAiModels(
  list: unknown,
  jobTypes: readonly EndpointJobType[],
  contextMember = '',
): readonly FoundModel[] {
  return readModels(member(list, 'data'), 'id', (entry) => ({
    jobTypes,
    loaded: null,
    contextLength: tokenCount(member(entry, contextMember)),
  }));
}
