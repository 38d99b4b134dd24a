import { elements, isRecord, member } from '../json-value.ts';
import { RunFailure, type RunResult } from '../runtime.ts';
import type { EndpointJobType } from './completion-request.ts';

export interface EndpointReply {
  readonly output: string;
  /** The server's name for the model, if it gives one. */
  readonly model: string | undefined;
  readonly usage: RunResult['usage'];
}

/** Reads the reply of a model server. Throws `RunFailure` when a 200 has no result. */
export function endpointReply(jobType: EndpointJobType, reply: unknown): EndpointReply {
  const usage = usageOf(member(reply, 'usage'));
  const output = jobType === 'embed' ? embedding(reply, usage?.input_tokens) : completion(reply);
  const model = member(reply, 'model');
  return {
    output: JSON.stringify(output),
    model: typeof model === 'string' && model !== '' ? model : undefined,
    usage,
  };
}

function completion(reply: unknown): object {
  const [choice] = elements(member(reply, 'choices'));
  if (!isRecord(choice)) throw empty('the reply has no choice');
  const message = member(choice, 'message');
  // A chat reply has a message, a completion a text.
  const text = member(message, 'content') ?? member(choice, 'text') ?? '';
  const finishReason = member(choice, 'finish_reason') ?? null;
  const toolCalls = elements(member(message, 'tool_calls'));
  if (typeof text !== 'string') throw empty('the content is not a text');
  if (text === '' && toolCalls.length === 0) {
    throw empty(`the text is empty (finish_reason ${String(finishReason)})`);
  }
  return { text, finish_reason: finishReason, ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}) };
}

/**
 * Reads an embedding. `tokens_read` is the server's count. `truncated` is null for unknown: servers such as Ollama
 * cut long texts without saying so.
 */
function embedding(reply: unknown, tokensRead: number | undefined): object {
  const data = elements(member(reply, 'data'));
  if (data.length !== 1) throw empty(`the reply has ${data.length} embeddings for 1 text`);
  const [entry] = data;
  const vector = elements(member(entry, 'embedding'));
  if (vector.length === 0) throw empty('the embedding is empty');
  if (!vector.every((x) => Number.isFinite(x))) throw empty('the embedding has members that are not numbers');
  return {
    embedding: vector,
    dimensions: vector.length,
    tokens_read: tokensRead ?? null,
    truncated: null,
  };
}

function usageOf(usage: unknown): RunResult['usage'] {
  if (!isRecord(usage)) return null;
  const input = member(usage, 'prompt_tokens');
  const output = member(usage, 'completion_tokens');
  return {
    ...(typeof input === 'number' ? { input_tokens: input } : {}),
    ...(typeof output === 'number' ? { output_tokens: output } : {}),
  };
}

function empty(why: string): RunFailure {
  return new RunFailure('transient', 'empty_response', `the model server answered 200, but ${why}`);
}
