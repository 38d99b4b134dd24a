import { expect, test } from 'vitest';
import { failureOfReply } from './server-failure.ts';

const nested = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } });
const bare = (message: string) => JSON.stringify({ error: message });

/** Replies from the sources, documents and issue trackers of the servers. */
const REPLIES: readonly (readonly [
  server: string,
  status: number,
  body: string,
  failure: string,
  code: string,
])[] = [
  ['Ollama, model missing', 404, bare("model 'llama9' not found"), 'not_here', 'model_not_found'],
  [
    'Ollama /v1, model missing',
    404,
    nested('model "llama9" not found, try pulling it first', { type: 'not_found_error' }),
    'not_here',
    'model_not_found',
  ],
  [
    'Ollama, queue full',
    503,
    bare('server busy, please try again.  maximum pending requests exceeded'),
    'wait',
    'server_busy',
  ],
  [
    'Ollama, text too long to embed',
    400,
    nested('the input length exceeds the context length'),
    'permanent',
    'context_length_exceeded',
  ],
  [
    'Ollama, prompt too long',
    400,
    nested('prompt is longer than the context length'),
    'permanent',
    'context_length_exceeded',
  ],
  [
    'Ollama, Mac too small',
    500,
    nested('model requires more system memory (7.5 GiB) than is available (5.2 GiB)'),
    'not_here',
    'out_of_memory',
  ],
  [
    'Azure, prompt filtered',
    400,
    nested(
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      {
        code: 'content_filter',
      },
    ),
    'permanent',
    'content_filtered',
  ],
  [
    'OpenRouter, prompt flagged',
    403,
    nested('openai/gpt-4o requires moderation on Azure. Your input was flagged for "violence".', {
      code: 403,
    }),
    'permanent',
    'content_filtered',
  ],
  ['a proxy that wants a password', 407, 'Proxy Authentication Required', 'not_here', 'unauthorized'],
  ['Ollama, embedding model', 400, nested('"bge-m3" does not support chat'), 'not_here', 'not_supported'],
  [
    'Ollama, runner died',
    500,
    nested('llama runner process has terminated: exit status 2'),
    'transient',
    'server_error',
  ],
  [
    'LM Studio, prompt too long',
    400,
    bare('Trying to keep the first 9000 tokens when context the overflows.'),
    'permanent',
    'context_length_exceeded',
  ],
  [
    'LM Studio, prompt too long',
    400,
    bare('Cannot truncate prompt with n_keep (9000) >= n_ctx (4096)'),
    'permanent',
    'context_length_exceeded',
  ],
  [
    'LM Studio, the same with 200',
    200,
    bare('Trying to keep the first 9000 tokens when context the overflows.'),
    'permanent',
    'context_length_exceeded',
  ],
  [
    'LM Studio, nothing loaded',
    400,
    nested('No models loaded. Please load a model in the developer page or use the `lms load` command.', {
      type: 'invalid_request_error',
      param: 'model',
    }),
    'not_here',
    'model_not_found',
  ],
  [
    'LM Studio, model missing',
    404,
    nested('Model not found', { code: 'model_not_found' }),
    'not_here',
    'model_not_found',
  ],
  [
    'LM Studio, Mac too small',
    400,
    bare('Model loading was stopped due to insufficient system resources.'),
    'not_here',
    'out_of_memory',
  ],
  [
    'LM Studio, load interrupted',
    400,
    nested('Failed to load model "qwen3". Error: Operation canceled.'),
    'transient',
    'server_error',
  ],
  [
    'LM Studio, cannot load',
    400,
    nested('Failed to load model "qwen3". Error: unknown architecture'),
    'not_here',
    'model_load_failed',
  ],
  [
    'LM Studio, crashed',
    400,
    bare('The model has crashed without additional information. (Exit code: 6)'),
    'transient',
    'server_error',
  ],
  ['LM Studio, unloaded', 400, bare('Model unloaded.'), 'transient', 'server_error'],
  [
    'LM Studio, no such route',
    200,
    bare('Unexpected endpoint or method. (POST /v1/foo)'),
    'not_here',
    'not_supported',
  ],
  ['any, 200 without a body', 200, '', 'transient', 'empty_response'],
  ['any, 200 with an error', 200, nested('something went wrong'), 'transient', 'empty_response'],
  ['any, 200 with half a body', 200, '{"choices":[{"mess', 'transient', 'empty_response'],
  [
    'llama-server, prompt too long',
    400,
    '{"error":{"code":400,"message":"request (817 tokens) exceeds the available context size (256 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":817,"n_ctx":256}}',
    'permanent',
    'context_length_exceeded',
  ],
  [
    'llama-server, text too long to embed',
    500,
    nested(
      'input (803 tokens) is too large to process. increase the physical batch size (current batch size: 512)',
      {
        type: 'server_error',
      },
    ),
    'permanent',
    'context_length_exceeded',
  ],
  [
    'llama-server, starting',
    503,
    nested('Loading model', { type: 'unavailable_error', code: 503 }),
    'wait',
    'model_loading',
  ],
  [
    'llama-server, no embeddings',
    501,
    nested('This server does not support embeddings. Start it with `--embeddings`', {
      type: 'not_supported_error',
    }),
    'not_here',
    'not_supported',
  ],
  [
    'llama-server, no pooling',
    400,
    nested("Pooling type 'none' is not OAI compatible. Please use a different pooling type", {
      type: 'invalid_request_error',
    }),
    'not_here',
    'not_supported',
  ],
  [
    'llama-server, bad request',
    400,
    nested("Expected 'messages' to be an array", { type: 'invalid_request_error' }),
    'permanent',
    'invalid_request',
  ],
  [
    'llama-server, wrong key',
    401,
    nested('Invalid API Key', { type: 'authentication_error', code: 401 }),
    'not_here',
    'unauthorized',
  ],
  [
    'llama-server, no such route',
    404,
    nested('File Not Found', { type: 'not_found_error', code: 404 }),
    'not_here',
    'not_supported',
  ],
  [
    'mlx_lm.server, model missing',
    404,
    bare('Repository Not Found for url: https://huggingface.co/api/models/x/y'),
    'not_here',
    'model_not_found',
  ],
  [
    'mlx_lm.server, unknown kind of model',
    404,
    bare('Model type foo not supported.'),
    'not_here',
    'model_not_found',
  ],
  [
    'mlx_lm.server, out of memory',
    404,
    bare('[METAL] Command buffer execution failed: Insufficient Memory (00000008)'),
    'overload',
    'out_of_memory',
  ],
  [
    'mlx_lm.server, any exception',
    404,
    bare('unsupported operand type(s) for +'),
    'transient',
    'server_error',
  ],
  ['mlx_lm.server, no such route', 404, 'Not Found', 'not_here', 'not_supported'],
  ['oMLX, out of memory', 507, nested('Insufficient storage'), 'not_here', 'out_of_memory'],
  ['FastAPI, bad request', 422, '{"detail":"max_tokens must be positive"}', 'permanent', 'invalid_request'],
  ['any, forbidden', 403, '', 'not_here', 'unauthorized'],
  ['any, too large', 413, 'Payload Too Large', 'permanent', 'invalid_request'],
  ['any, too many requests', 429, nested('Rate limit reached'), 'wait', 'rate_limited'],
  [
    'OpenAI, no quota left',
    429,
    nested('You exceeded your current quota, please check your plan and billing details.', {
      code: 'insufficient_quota',
    }),
    'not_here',
    'quota_exhausted',
  ],
  ['DeepSeek, no balance', 402, nested('Insufficient Balance'), 'not_here', 'quota_exhausted'],
  ['Anthropic, overloaded', 529, nested('Overloaded'), 'wait', 'server_busy'],
  [
    'vLLM, model missing',
    404,
    '{"object":"error","message":"The model `m` does not exist.","type":"NotFoundError","code":404}',
    'not_here',
    'model_not_found',
  ],
  [
    'OpenAI, model missing',
    404,
    nested('The model `gpt-9` does not exist or you do not have access to it.', { code: 'model_not_found' }),
    'not_here',
    'model_not_found',
  ],
  ['Mistral, model missing', 400, nested('Invalid model: mistral-9'), 'not_here', 'model_not_found'],
  [
    'llama-server, the cache that all slots share is full',
    500,
    nested('Context size has been exceeded.', { code: 500, type: 'server_error' }),
    'overload',
    'context_length_exceeded',
  ],
  [
    'mlx, memory ran out during a generation',
    500,
    nested('[METAL] Command buffer execution failed: Insufficient Memory (00000008)'),
    'overload',
    'out_of_memory',
  ],
  ['Cloudflare, server down', 521, '<html>', 'wait', 'server_unreachable'],
  ['Cloudflare, server too slow', 524, '<html>', 'timeout', 'timeout'],
  ['any, internal error', 500, 'Internal Server Error', 'transient', 'server_error'],
  ['any proxy, no server behind it', 502, '<html>Bad Gateway</html>', 'wait', 'server_unreachable'],
  ['any proxy, server too slow', 504, '', 'timeout', 'timeout'],
];

const NOW = 0;

test.each(REPLIES)('%s: %i %s is %s, %s', (_server, status, body, failure, code) => {
  expect(failureOfReply({ status, body }, NOW)).toMatchObject({ failure, code });
});

test('repeats the server’s message, cut to a reasonable length', () => {
  expect(failureOfReply({ status: 400, body: nested('top_p must be below 1') }, NOW).message).toBe(
    'the model server answered 400: top_p must be below 1',
  );
  expect(failureOfReply({ status: 500, body: 'x'.repeat(100_000) }, NOW).message.length).toBeLessThan(600);
});

test('reads how long a busy server asks to be left alone', () => {
  const headers = { 'retry-after': '20' };
  expect(failureOfReply({ status: 429, body: '', headers }, NOW).retryAfterMs).toBe(20_000);
  expect(failureOfReply({ status: 503, body: '', headers }, NOW).retryAfterMs).toBe(20_000);
  expect(failureOfReply({ status: 400, body: '', headers }, NOW).retryAfterMs).toBeNull();
});
