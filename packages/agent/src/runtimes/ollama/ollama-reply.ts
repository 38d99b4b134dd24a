import type { EndpointJobType } from '../endpoint/completion-request.ts';
import { elements, isRecord, member } from '../json-value.ts';

/** Members of a native reply that have a place in OpenAI's shape, or only measure time. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['model', 'created_at', 'message', 'response', 'thinking', 'done', 'done_reason', 'context'],
  ...['prompt_eval_count', 'eval_count', 'embeddings', 'total_duration', 'load_duration'],
  ...['prompt_eval_duration', 'eval_duration'],
]);

/**
 * Translates a reply of Ollama's own API into OpenAI's shape, so that one parser judges both. What it does not know stays.
 * An answer that is not done gets no finish reason, and so is no answer.
 */
export function openAiReply(jobType: EndpointJobType, reply: unknown): object {
  const usage = {
    prompt_tokens: member(reply, 'prompt_eval_count'),
    completion_tokens: member(reply, 'eval_count'),
  };
  const model = member(reply, 'model');
  if (jobType === 'embed') {
    const data = elements(member(reply, 'embeddings')).map((embedding) => ({ embedding }));
    // The request asked for an error instead of a truncated text.
    return { model, data, usage: { prompt_tokens: usage.prompt_tokens }, truncated: false };
  }
  const message = member(reply, 'message');
  const reason = member(reply, 'done') === true ? (member(reply, 'done_reason') ?? 'stop') : null;
  const others = Object.fromEntries(
    Object.entries(isRecord(reply) ? reply : {}).filter(([name]) => !TAKEN.has(name)),
  );
  return { ...others, model, choices: [{ ...answerOf(), finish_reason: reason }], usage };

  function answerOf(): object {
    if (jobType === 'generate')
      return { text: member(reply, 'response'), ...reasoning(member(reply, 'thinking')) };
    if (!isRecord(message)) return {};
    const { thinking, ...rest } = message;
    return { message: { ...rest, ...reasoning(thinking) } };
  }
}

/** Ollama's OpenAI-compatible API names thinking like this. */
function reasoning(thinking: unknown): object {
  return typeof thinking === 'string' && thinking !== '' ? { reasoning: thinking } : {};
}
