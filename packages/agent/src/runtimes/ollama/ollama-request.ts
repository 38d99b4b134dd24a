import type { EndpointJobType } from '../endpoint/completion-request.ts';
import { isRecord, member } from '../json-value.ts';
import { RunFailure } from '../runtime.ts';

/** A request of Ollama's own API, without the model's name. */
export interface OllamaRequest {
  /** Below the server's root. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Params with the same name and meaning in `options`. */
const OPTIONS: ReadonlySet<string> = new Set([
  ...['temperature', 'top_p', 'top_k', 'min_p', 'typical_p', 'seed', 'stop'],
  ...['presence_penalty', 'frequency_penalty', 'repeat_penalty', 'repeat_last_n'],
  ...['num_ctx', 'num_keep', 'num_predict', 'num_batch', 'num_gpu', 'num_thread'],
]);
/** Params with another name in `options`. */
const RENAMED: Readonly<Record<string, string>> = {
  max_tokens: 'num_predict',
  max_completion_tokens: 'num_predict',
};
/** Members of a request itself. */
const TOP_LEVEL: ReadonlySet<string> = new Set(['keep_alive', 'think', 'format', 'dimensions']);
/** Members that the request has anyway, or that change nothing. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(['messages', 'prompt', 'input', 'options', 'user']);
/** Params that OpenAI's shape cannot carry to Ollama. */
const OWN: ReadonlySet<string> = new Set([
  ...[
    'num_ctx',
    'num_keep',
    'num_predict',
    'num_batch',
    'num_gpu',
    'num_thread',
    'repeat_last_n',
    'typical_p',
  ],
  ...['keep_alive', 'think', 'format', 'options', 'top_k', 'min_p', 'repeat_penalty'],
]);
/** What Ollama assumes behind OpenAI's API. Its own API assumes what the model file says. */
const OPENAI_DEFAULTS = { temperature: 1, top_p: 1 };

/**
 * Translates a request in OpenAI's shape. Ollama's own API takes the context length, and refuses a prompt that does not
 * fit instead of cutting it. Returns null if the request has something that only OpenAI's shape can say, such as tools or
 * images. Throws a permanent `RunFailure` if it also has something that only Ollama's can say.
 */
export function ollamaRequest(
  jobType: EndpointJobType,
  body: Readonly<Record<string, unknown>>,
): OllamaRequest | null {
  const translated = Object.entries(body).map(([name, value]) => [name, translate(name, value)] as const);
  const foreign = [
    ...translated.filter(([, into]) => into === null).map(([name]) => name),
    ...(jobType === 'chat' && !hasPlainMessages(body['messages']) ? ['messages'] : []),
  ];
  if (foreign.length > 0) {
    const own = Object.keys(body).filter((name) => OWN.has(name));
    if (own.length === 0) return null;
    throw new RunFailure(
      'permanent',
      'invalid_params',
      `Ollama cannot combine ${own.join(', ')} with ${foreign.join(', ')}`,
    );
  }
  const own = body['options'];
  const options = {
    ...(jobType === 'embed' ? {} : OPENAI_DEFAULTS),
    ...(isRecord(own) ? own : {}),
    ...Object.assign({}, ...translated.map(([, into]) => into?.options ?? {})),
  };
  const top = Object.assign({}, ...translated.map(([, into]) => into?.top ?? {}));
  const common = { ...top, ...(Object.keys(options).length === 0 ? {} : { options }), truncate: false };
  switch (jobType) {
    case 'chat':
      return {
        path: '/api/chat',
        body: { ...common, messages: plainMessages(body['messages']), stream: false, shift: false },
      };
    case 'generate':
      return {
        path: '/api/generate',
        body: { ...common, prompt: body['prompt'], stream: false, shift: false },
      };
    case 'embed':
      return { path: '/api/embed', body: { ...common, input: body['input'] } };
  }
}

interface Translated {
  readonly options?: object;
  readonly top?: object;
}

/** Translates one member; null if Ollama's own API has nothing like it. */
function translate(name: string, value: unknown): Translated | null {
  if (WITHOUT_EFFECT.has(name) || value === null || value === undefined) return {};
  if (name === 'stop') return { options: { stop: Array.isArray(value) ? value : [value] } };
  if (OPTIONS.has(name)) return { options: { [name]: value } };
  const renamed = Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined;
  if (renamed !== undefined) return { options: { [renamed]: value } };
  if (TOP_LEVEL.has(name)) return { top: { [name]: value } };
  if (name === 'reasoning_effort') return { top: { think: value === 'none' ? false : value } };
  if (name === 'response_format') return responseFormat(value);
  if (name === 'stream' && value === false) return {};
  if (name === 'n' && value === 1) return {};
  return null;
}

function responseFormat(value: unknown): Translated | null {
  const type = member(value, 'type');
  if (type === 'text') return {};
  if (type === 'json_object') return { top: { format: 'json' } };
  const schema = member(member(value, 'json_schema'), 'schema');
  return type === 'json_schema' && isRecord(schema) ? { top: { format: schema } } : null;
}

/** Whether all messages have only a text. Tools and images look different in Ollama's own API. */
function hasPlainMessages(messages: unknown): boolean {
  return (
    Array.isArray(messages) &&
    messages.every(
      (message) =>
        isRecord(message) &&
        ['system', 'user', 'assistant'].includes(String(message['role'])) &&
        Object.keys(message).every((name) => name === 'role' || name === 'content') &&
        textOfContent(message['content']) !== null,
    )
  );
}

function plainMessages(messages: unknown): readonly object[] {
  return (Array.isArray(messages) ? messages : []).map((message: unknown) => ({
    role: member(message, 'role'),
    content: textOfContent(member(message, 'content')),
  }));
}

/** The text of a content; null if it is more than text. */
function textOfContent(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part: unknown) =>
    member(part, 'type') === 'text' ? member(part, 'text') : null,
  );
  return texts.every((text) => typeof text === 'string') ? texts.join('') : null;
}
