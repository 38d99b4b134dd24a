import type { Answer, Answers, IdentifyingPath } from '../runtimes/discovery/identify-server.ts';

const ok = (body: object): Answer => ({ status: 200, json: body, text: JSON.stringify(body) });
const page = (status: number, text: string): Answer => ({ status, json: undefined, text });
const FASTAPI_NOT_FOUND = page(404, '{"detail":"Not Found"}');
const LM_STUDIO_NOT_FOUND = (path: string): Answer =>
  ok({ error: `Unexpected endpoint or method. (GET ${path}). Returning 200 anyway` });

/** llama-server's answer to an unknown path, and to every path while it loads its model. */
const LLAMA_NOT_FOUND = page(
  404,
  '{"error":{"message":"File Not Found","type":"not_found_error","code":404}}',
);
const LLAMA_LOADING = page(
  503,
  '{"error":{"message":"Loading model","type":"unavailable_error","code":503}}',
);

/**
 * Answers of each kind of server to the requests that identify it.
 *
 * Sources: `llama-server`: recorded from the program (0.4.0-dev, commit 80fb11a). The others are written after
 * documents and sources: `Ollama`: docs/api.md of ollama/ollama,
 * with `context_length` of api/types.go. `LM Studio`: 1_developer/2_rest/list.md of lmstudio-ai/docs, and the REST API v0
 * page of its manual. `mlx_lm.server`: mlx_lm/server.py of ml-explore/mlx-lm. `oMLX`: omlx/server.py of jundot/omlx. `exo`:
 * src/exo/api/types/api.py of exo-explore/exo. `vLLM`: vllm/entrypoints/openai/protocol.py of vllm-project/vllm. `whisper.cpp`:
 * examples/server/server.cpp of ggml-org/whisper.cpp.
 */
export const RECORDED_SERVERS = {
  Ollama: {
    '/v1/models': ok({
      object: 'list',
      data: [{ id: 'llama3:latest', object: 'model', created: 1_701_937_952, owned_by: 'library' }],
    }),
    '/api/version': ok({ version: '0.12.6' }),
    '/api/tags': ok({
      models: [
        {
          name: 'codellama:13b',
          modified_at: '2023-11-04T14:56:49.277302595-07:00',
          size: 7_365_960_935,
          digest: '9f438cb9cd581fc025612d27f7c1a6669ff83a8bb0ed86c94fcf4c5440555697',
          details: {
            format: 'gguf',
            family: 'llama',
            families: null,
            parameter_size: '13B',
            quantization_level: 'Q4_0',
          },
        },
        {
          name: 'llama3:latest',
          modified_at: '2023-12-07T09:32:18.757212583-08:00',
          size: 3_825_819_519,
          digest: 'fe938a131f40e6f6d40083c9f0f430a515233eb2edaa6d72eb85c50d64f2300e',
          details: {
            format: 'gguf',
            family: 'llama',
            families: null,
            parameter_size: '7B',
            quantization_level: 'Q4_0',
          },
        },
        {
          name: 'nomic-embed-text:latest',
          modified_at: '2024-02-22T12:00:00-08:00',
          size: 274_302_450,
          digest: '0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f',
          details: { format: 'gguf', family: 'nomic-bert', families: ['nomic-bert'] },
        },
        {
          name: 'gpt-oss:120b-cloud',
          model: 'gpt-oss:120b-cloud',
          remote_model: 'gpt-oss:120b',
          remote_host: 'https://ollama.com:443',
          size: 384,
          digest: '569662207105c3f34a2ab12e7a0b5b8cb0f0e0f8e6c0a6c2f5fbbf0e7aa9cd51',
          details: { format: '', family: 'gptoss' },
        },
      ],
    }),
    '/api/ps': ok({
      models: [
        {
          name: 'llama3:latest',
          model: 'llama3:latest',
          size: 5_137_025_024,
          expires_at: '2024-06-04T14:38:31.83753-07:00',
          size_vram: 5_137_025_024,
          context_length: 4096,
        },
      ],
    }),
    '/api/v1/models': page(404, '404 page not found'),
    '/': page(200, 'Ollama is running'),
  },
  'LM Studio': {
    '/v1/models': ok({
      data: [{ id: 'gemma-3-270m-it-qat', object: 'model', owned_by: 'organization_owner' }],
      object: 'list',
    }),
    '/api/version': LM_STUDIO_NOT_FOUND('/api/version'),
    '/api/v1/models': ok({
      models: [
        {
          type: 'llm',
          publisher: 'qwen',
          key: 'qwen3-4b',
          loaded_instances: [],
          max_context_length: 40_960,
          format: 'mlx',
        },
        {
          type: 'llm',
          publisher: 'lmstudio-community',
          key: 'gemma-3-270m-it-qat',
          display_name: 'Gemma 3 270m Instruct Qat',
          architecture: 'gemma3',
          quantization: { name: 'Q4_0', bits_per_weight: 4 },
          size_bytes: 241_410_208,
          params_string: '270M',
          loaded_instances: [{ id: 'gemma-3-270m-it-qat', config: { context_length: 4096 } }],
          max_context_length: 32_768,
          format: 'gguf',
          capabilities: { vision: false, trained_for_tool_use: false },
          description: null,
        },
        {
          type: 'embedding',
          publisher: 'gaianet',
          key: 'text-embedding-nomic-embed-text-v1.5-embedding',
          quantization: { name: 'F16', bits_per_weight: 16 },
          size_bytes: 274_290_560,
          params_string: null,
          loaded_instances: [],
          max_context_length: 2048,
          format: 'gguf',
        },
      ],
    }),
    '/props': LM_STUDIO_NOT_FOUND('/props'),
    '/health': LM_STUDIO_NOT_FOUND('/health'),
  },
  'LM Studio before 0.4': {
    '/v1/models': ok({
      data: [{ id: 'qwen2-vl-7b-instruct', object: 'model', owned_by: 'organization_owner' }],
      object: 'list',
    }),
    '/api/v1/models': LM_STUDIO_NOT_FOUND('/api/v1/models'),
    '/api/v0/models': ok({
      object: 'list',
      data: [
        {
          id: 'qwen2-vl-7b-instruct',
          object: 'model',
          type: 'vlm',
          publisher: 'mlx-community',
          arch: 'qwen2_vl',
          compatibility_type: 'mlx',
          quantization: '4bit',
          state: 'not-loaded',
          max_context_length: 32_768,
        },
        {
          id: 'text-embedding-nomic-embed-text-v1.5',
          object: 'model',
          type: 'embeddings',
          arch: 'nomic-bert',
          state: 'loaded',
          max_context_length: 2048,
          loaded_context_length: 1024,
        },
      ],
    }),
  },
  'llama-server': {
    '/v1/models': ok({
      models: [{ name: 'tiny-demo', model: 'tiny-demo', capabilities: ['completion'] }],
      object: 'list',
      data: [
        {
          id: 'tiny-demo',
          aliases: ['tiny-demo'],
          tags: [],
          object: 'model',
          created: 1_796_093_256,
          owned_by: 'llamacpp',
          meta: { n_vocab: 1056, n_ctx: 256, n_ctx_train: 256, n_embd: 128, n_params: 939_136 },
        },
      ],
    }),
    '/api/version': LLAMA_NOT_FOUND,
    '/api/tags': LLAMA_NOT_FOUND,
    '/api/v1/models': LLAMA_NOT_FOUND,
    '/props': ok({ default_generation_settings: { n_ctx: 256 }, total_slots: 4 }),
    '/health': ok({ status: 'ok' }),
    '/': LLAMA_NOT_FOUND,
  },
  'llama-server with several models': {
    '/v1/models': ok({
      object: 'list',
      data: [
        {
          id: 'Qwen3-0.6B-Q4_K_M',
          object: 'model',
          owned_by: 'llamacpp',
          created: 1_783_986_018,
          status: { value: 'unloaded' },
        },
        {
          id: 'gemma-3-4b-it',
          object: 'model',
          owned_by: 'llamacpp',
          created: 1_783_986_018,
          status: { value: 'loaded' },
        },
      ],
    }),
    '/props': ok({ role: 'router' }),
    '/health': ok({ status: 'ok' }),
  },
  'llama-server, loading': {
    '/v1/models': LLAMA_LOADING,
    '/api/version': LLAMA_LOADING,
    '/props': LLAMA_LOADING,
    '/health': LLAMA_LOADING,
    '/': LLAMA_LOADING,
  },
  'mlx_lm.server': {
    '/v1/models': ok({
      object: 'list',
      data: [{ id: 'mlx-community/Llama-3.2-3B-Instruct-4bit', object: 'model', created: 1_733_000_000 }],
    }),
    '/props': page(404, 'Not Found'),
    '/health': ok({ status: 'ok' }),
    '/': page(404, 'Not Found'),
  },
  oMLX: {
    '/v1/models': ok({
      object: 'list',
      data: [
        {
          id: 'Qwen3-8B-4bit',
          object: 'model',
          created: 1_733_000_000,
          owned_by: 'omlx',
          max_model_len: 32_768,
        },
      ],
    }),
    '/health': ok({ status: 'healthy', default_model: 'Qwen3-8B-4bit' }),
    '/props': FASTAPI_NOT_FOUND,
  },
  exo: {
    '/v1/models': ok({
      object: 'list',
      data: [
        {
          id: 'mlx-community/Llama-3.2-1B-Instruct-4bit',
          object: 'model',
          created: 1_733_000_000,
          owned_by: 'exo',
          hugging_face_id: 'mlx-community/Llama-3.2-1B-Instruct-4bit',
          name: 'Llama 3.2 1B',
          context_length: 131_072,
          tags: [],
          storage_size_megabytes: 696,
          supports_tensor: true,
        },
      ],
    }),
    '/api/version': FASTAPI_NOT_FOUND,
    '/props': FASTAPI_NOT_FOUND,
    '/': page(200, '<!doctype html><html><head><title>EXO</title></head></html>'),
  },
  vLLM: {
    '/v1/models': ok({
      object: 'list',
      data: [
        {
          id: 'Qwen/Qwen3-0.6B',
          object: 'model',
          created: 1_733_000_000,
          owned_by: 'vllm',
          root: 'Qwen/Qwen3-0.6B',
          parent: null,
          max_model_len: 40_960,
          permission: [],
        },
      ],
    }),
    '/api/version': FASTAPI_NOT_FOUND,
    '/props': FASTAPI_NOT_FOUND,
    '/health': page(200, ''),
  },
  'whisper.cpp': {
    '/v1/models': page(404, ''),
    '/': page(
      200,
      '\n    <html>\n    <head>\n        <title>Whisper.cpp Server</title>\n        <meta charset="utf-8">',
    ),
    '/health': ok({ status: 'ok' }),
  },
} as const satisfies Readonly<Record<string, Answers>>;

/** Answers of programs that are no model server, or of servers that are not themselves. */
export const STRANGERS: Readonly<Record<string, Answers>> = {
  'a web page': everywhere(page(200, '<!doctype html><html><head><title>My blog</title></head></html>')),
  'the sign-in page of a network': everywhere(
    page(200, '<html><title>Welcome to Hotel Wi-Fi</title></html>'),
  ),
  'a server without a list': everywhere(page(404, 'Cannot GET')),
  'Ollama that answers 200 with an error': everywhere(ok({ error: 'something went wrong' })),
  'Ollama that answers nothing': everywhere(page(200, '')),
  'Ollama that answers half of its JSON': everywhere(page(200, '{"models":[{"name":"llama3:lat')),
  'a server that asks for a key': everywhere(page(401, '{"error":{"message":"Invalid API key"}}')),
  'a pool of macbatch': {
    '/v1/models': ok({ object: 'list', data: [{ id: 'qwen3', object: 'model', owned_by: 'macbatch' }] }),
    '/health': ok({ status: 'ok' }),
  },
  'an unknown server that names no owners': {
    '/v1/models': ok({ object: 'list', data: [{ id: 'gpt', object: 'model' }] }),
    '/health': ok({ status: 'ok', uptime: 7 }),
  },
  'an unknown server with a list': {
    '/v1/models': ok({ object: 'list', data: [{ id: 'gpt', object: 'model', owned_by: 'someone' }] }),
  },
};

function everywhere(answer: Answer): Answers {
  const paths: readonly IdentifyingPath[] = [
    '/v1/models',
    '/api/version',
    '/api/tags',
    '/props',
    '/health',
    '/',
  ];
  return Object.fromEntries(paths.map((path) => [path, answer]));
}
