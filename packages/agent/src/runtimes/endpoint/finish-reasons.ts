/**
 * What a finish reason says about an answer. `complete`: the model ended it. `cut`: a token limit ended it. `filtered`
 * and `refused`: a filter or the model itself withheld it. `failed`: the server broke off.
 */
export type AnswerEnd = 'complete' | 'cut' | 'filtered' | 'refused' | 'failed';

export interface FinishReason {
  /** In lower case. */
  readonly reason: string;
  readonly end: AnswerEnd;
  /** Servers that send it. */
  readonly servers: string;
}

/** The known finish reasons. Every other one means `failed`, because the answer may be incomplete. */
export const FINISH_REASONS: readonly FinishReason[] = [
  { reason: 'stop', end: 'complete', servers: 'all' },
  { reason: 'eos', end: 'complete', servers: 'Together' },
  { reason: 'eos_token', end: 'complete', servers: 'Text Generation Inference' },
  { reason: 'stop_sequence', end: 'complete', servers: 'Text Generation Inference, Anthropic, Cohere' },
  { reason: 'end_turn', end: 'complete', servers: 'xAI, Anthropic' },
  { reason: 'complete', end: 'complete', servers: 'Cohere' },
  { reason: 'tool_calls', end: 'complete', servers: 'all that call tools' },
  { reason: 'function_call', end: 'complete', servers: 'OpenAI, SGLang, llama-cpp-python' },
  { reason: 'tool_call', end: 'complete', servers: 'Cohere' },
  { reason: 'tool_use', end: 'complete', servers: 'Anthropic' },
  { reason: 'length', end: 'cut', servers: 'all' },
  { reason: 'max_tokens', end: 'cut', servers: 'Anthropic, Cohere, Gemini' },
  { reason: 'model_length', end: 'cut', servers: 'Mistral' },
  { reason: 'model_context_window_exceeded', end: 'cut', servers: 'Anthropic, Z.ai' },
  { reason: 'content_filter', end: 'filtered', servers: 'OpenAI, Azure, DeepSeek, OpenRouter, SGLang' },
  { reason: 'sensitive', end: 'filtered', servers: 'Z.ai' },
  { reason: 'safety', end: 'filtered', servers: 'Gemini' },
  { reason: 'recitation', end: 'filtered', servers: 'Gemini' },
  { reason: 'blocklist', end: 'filtered', servers: 'Gemini' },
  { reason: 'prohibited_content', end: 'filtered', servers: 'Gemini' },
  { reason: 'spii', end: 'filtered', servers: 'Gemini' },
  { reason: 'error_toxic', end: 'filtered', servers: 'Cohere' },
  { reason: 'refusal', end: 'refused', servers: 'Anthropic' },
  { reason: 'error', end: 'failed', servers: 'Mistral, OpenRouter, vLLM, MLC, Cohere' },
  { reason: 'abort', end: 'failed', servers: 'vLLM, SGLang' },
  { reason: 'insufficient_system_resource', end: 'failed', servers: 'DeepSeek' },
  { reason: 'network_error', end: 'failed', servers: 'Z.ai' },
  { reason: 'preempt', end: 'failed', servers: 'MLC' },
  { reason: 'load', end: 'failed', servers: 'Ollama, which then has loaded a model and generated nothing' },
  { reason: 'unload', end: 'failed', servers: 'Ollama, which then has unloaded a model' },
];

const ENDS = new Map(FINISH_REASONS.map(({ reason, end }) => [reason, end]));

/**
 * Returns what a finish reason says about an answer. `own` maps a server's own reasons, in lower case, to known ones;
 * a missing reason has the name `null`.
 */
export function answerEnd(reason: unknown, own: Readonly<Record<string, string>> = {}): AnswerEnd {
  const name = typeof reason === 'string' && reason !== '' ? reason.toLowerCase() : 'null';
  const known = Object.hasOwn(own, name) ? own[name] : name;
  return ENDS.get(known ?? name) ?? 'failed';
}
