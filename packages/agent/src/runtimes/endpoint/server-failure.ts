import { isRecord, member, parseJson } from '../json-value.ts';
import { type FailureClass, RunFailure } from '../runtime.ts';
import { type ReplyHeaders, retryAfterMs } from './retry-after.ts';
import { isWebPage, pageText } from './web-page.ts';

/** Servers put whole prompts into their messages. This much of one is enough to act on. */
const MAX_MESSAGE_LENGTH = 500;

interface ErrorReply {
  readonly status: number;
  readonly message: string;
  /** The error's `type` and `code`, if the server sends them. */
  readonly kinds: readonly unknown[];
  /** The body is `{"error": "text"}`, as for exceptions of mlx_lm.server and errors of Ollama's own API. */
  readonly bareText: boolean;
}

interface FailureRule {
  readonly when: (reply: ErrorReply) => boolean;
  readonly failure: FailureClass;
  readonly code: string;
}

const status =
  (...these: number[]) =>
  (reply: ErrorReply) =>
    these.includes(reply.status);
const says =
  (...texts: RegExp[]) =>
  (reply: ErrorReply) =>
    texts.some((text) => text.test(reply.message));
const kind =
  (...these: string[]) =>
  (reply: ErrorReply) =>
    these.some((one) => reply.kinds.includes(one));
const any =
  (...rules: FailureRule['when'][]) =>
  (reply: ErrorReply) =>
    rules.some((rule) => rule(reply));
const all =
  (...rules: FailureRule['when'][]) =>
  (reply: ErrorReply) =>
    rules.every((rule) => rule(reply));

/**
 * The first rule that matches decides. Statuses that mean the same everywhere come first. Then come texts, because
 * servers send the same trouble with different statuses, LM Studio even with 200.
 */
const FAILURE_RULES: readonly FailureRule[] = [
  {
    // A network that asks to sign in, or another program at this URL. 511 means the former.
    when: any(status(511), (reply) => reply.status >= 200 && reply.status < 300 && isWebPage(reply.message)),
    failure: 'not_here',
    code: 'not_a_model_server',
  },
  {
    // Waiting does not help: a person has to pay.
    when: any(
      status(402),
      kind('insufficient_quota', 'billing_hard_limit_reached', 'insufficient_user_quota'),
      all(
        status(403, 429),
        says(/exceeded your current quota/i, /insufficient (quota|balance|credits?|funds)/i, /\bbilling\b/i),
      ),
    ),
    failure: 'not_here',
    code: 'quota_exhausted',
  },
  {
    // Azure and OpenRouter: one prompt is refused, not the key.
    when: any(
      kind('content_filter', 'content_policy_violation', 'moderation_blocked'),
      all(status(400, 403), says(/\bmoderation\b/i, /content management policy/i, /\bflagged\b/i)),
    ),
    failure: 'rejected',
    code: 'content_filtered',
  },
  { when: status(401, 407), failure: 'not_here', code: 'unauthorized' },
  // The key may lack a right, or a firewall refuses what one prompt contains.
  { when: status(403), failure: 'not_here', code: 'forbidden' },
  { when: status(507), failure: 'not_here', code: 'out_of_memory' },
  { when: all(status(503), says(/loading/i)), failure: 'wait', code: 'model_loading' },
  { when: status(429), failure: 'wait', code: 'rate_limited' },
  { when: any(status(503, 529), kind('overloaded_error')), failure: 'wait', code: 'server_busy' },
  // Forbidden by law: what the prompt contains.
  { when: status(451), failure: 'rejected', code: 'content_filtered' },
  {
    // All requests share one cache. When it is full, the server ends the requests that run.
    when: all(
      status(500),
      says(
        // llama-server and LM Studio with a unified KV cache
        /context size has been exceeded/i,
        /(kv|key.value) cache is full/i,
        /no (kv|available) slot/i,
        /could not find .*\bslot\b/i,
        /failed to find .*\bslot\b/i,
      ),
    ),
    failure: 'overload',
    code: 'context_length_exceeded',
  },
  {
    // Memory that ran out during a generation, not while the model was loaded.
    when: says(/command buffer execution failed.*insufficient memory/i, /CUDA out of memory/i),
    failure: 'overload',
    code: 'out_of_memory',
  },
  {
    when: any(
      kind('exceed_context_size_error', 'context_length_exceeded'),
      says(
        // Ollama
        /input length exceeds the (maximum )?context length/i,
        /prompt is longer than/i,
        // LM Studio
        /trying to keep the first \d+ tokens/i,
        /cannot truncate prompt/i,
        // llama-server, chat and embeddings
        /exceeds the available context size/i,
        /input .*is too (large|long) to process/i,
        // vLLM and other OpenAI-compatible servers
        /maximum context length/i,
      ),
    ),
    failure: 'rejected',
    code: 'context_length_exceeded',
  },
  // The request itself: such replies quote the prompt, which may contain any of the texts below.
  { when: status(413, 422), failure: 'rejected', code: 'invalid_request' },
  {
    when: says(
      /out of memory/i,
      /insufficient (system )?(memory|resources)/i,
      /requires more system memory/i,
      /OutOfMemory/,
    ),
    failure: 'not_here',
    code: 'out_of_memory',
  },
  {
    when: any(
      kind('model_not_found'),
      says(
        /\bmodel\b.*\b(not found|does not exist|doesn't exist|not exist|is unknown)\b/i,
        /\b(unknown|invalid) model\b/i,
        /\bno models? (is |are )?loaded\b/i,
      ),
      // mlx_lm.server loads a model by name from the Hugging Face cache, or fetches it.
      all(
        status(404),
        (reply) => reply.bareText,
        says(
          /not found/i,
          /client error/i,
          /no such file/i,
          /no safetensors/i,
          /model type .* not supported/i,
        ),
        // A TLS or DNS error of that fetch is no error of the model.
        (reply) => !says(/max retries exceeded/i)(reply),
      ),
    ),
    failure: 'not_here',
    code: 'model_not_found',
  },
  {
    // LM Studio sends these with 400 although the request is right.
    when: says(/model (is |was )?unloaded/i, /model has crashed/i, /channel error/i, /operation canceled/i),
    failure: 'transient',
    code: 'server_error',
  },
  { when: says(/failed to load model/i), failure: 'not_here', code: 'model_load_failed' },
  {
    when: any(
      status(405, 501),
      kind('not_supported_error'),
      says(
        /does not support (chat|generat|completion|embed)/i,
        // llama-server with --embeddings but without --pooling
        /pooling type '?none/i,
        // LM Studio, with 200
        /unexpected endpoint or method/i,
      ),
    ),
    failure: 'not_here',
    code: 'not_supported',
  },
  // Any other exception of mlx_lm.server. An unknown route has another body.
  { when: all(status(404), (reply) => reply.bareText), failure: 'transient', code: 'server_error' },
  // Unknown route: not an OpenAI-compatible server, or its URL lacks the /v1.
  { when: status(404, 301, 302, 307, 308), failure: 'not_here', code: 'not_supported' },
  // Proxies whose server does not answer: nginx, Cloudflare.
  { when: status(502, 521, 522, 523), failure: 'wait', code: 'server_unreachable' },
  { when: status(408, 504, 524), failure: 'timeout', code: 'timeout' },
  { when: status(400), failure: 'rejected', code: 'invalid_request' },
  { when: status(200), failure: 'transient', code: 'empty_response' },
];

/** What a model server replied. `body` must not contain secrets: the submitter sees its message. */
export interface ServerReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: ReplyHeaders;
}

/** Makes a failure of a reply without a result: any status but 200, or a 200 whose body is empty, broken or an error. */
export function failureOfReply({ status, body, headers = {} }: ServerReply, nowMs: number): RunFailure {
  const reply = errorReply(status, body);
  const rule = FAILURE_RULES.find(({ when }) => when(reply));
  const text = isWebPage(reply.message) ? `a web page, not JSON: ${pageText(reply.message)}` : reply.message;
  const message = `the model server answered ${status}: ${text.slice(0, MAX_MESSAGE_LENGTH)}`;
  const failure = rule?.failure ?? 'transient';
  return new RunFailure(failure, rule?.code ?? 'server_error', message, {
    mayBeOfItem: failure === 'not_here' && mayBeOfItem(reply, rule),
    retryAfterMs: failure === 'wait' ? retryAfterMs(headers, reply.message, nowMs) : null,
  });
}

/** Whether the item may have caused a reply: a firewall may refuse what it contains, or the text may quote it. */
function mayBeOfItem(reply: ErrorReply, rule: FailureRule | undefined): boolean {
  if (rule?.code === 'forbidden') return true;
  const isDecidedByText = rule?.when({ ...reply, message: '' }) !== true;
  // A path or a model that does not exist is no answer to what a prompt says.
  return isDecidedByText && reply.status !== 404;
}

function errorReply(status: number, body: string): ErrorReply {
  const plain = {
    status,
    message: body.trim() === '' ? 'an empty body' : body.trim(),
    kinds: [],
    bareText: false,
  };
  const parsed = parseJson(body);
  const error = member(parsed, 'error');
  if (typeof error === 'string') return { ...plain, message: error, bareText: true };
  const source = isRecord(error) ? error : parsed;
  const text = [member(source, 'message'), member(source, 'detail'), validationText(source)].find(
    (each) => typeof each === 'string',
  );
  return {
    ...plain,
    message: text ?? plain.message,
    kinds: [member(source, 'type'), member(source, 'code')],
  };
}

/** What FastAPI says about a body that is not valid: a list of problems, each with the place and the value beside it. */
function validationText(source: unknown): string | undefined {
  const problems = member(source, 'detail');
  if (!Array.isArray(problems)) return undefined;
  const texts = problems.map((problem: unknown) => {
    const place = member(problem, 'loc');
    const text = member(problem, 'msg');
    return typeof text !== 'string' ? '' : Array.isArray(place) ? `${place.join('.')}: ${text}` : text;
  });
  const text = texts.filter((each) => each !== '').join('; ');
  return text === '' ? undefined : text;
}
