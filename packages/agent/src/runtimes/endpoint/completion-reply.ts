import { member } from '../json-value.ts';
import type { RunResult } from '../runtime.ts';
import { completion } from './completion.ts';
import type { EndpointJobType } from './completion-request.ts';
import { embedding } from './embedding.ts';
import { tokenUsage } from './token-usage.ts';

export interface EndpointReply {
  /** JSON text. */
  readonly output: string;
  /** The server's name for the model, if it gives one. */
  readonly model: string | undefined;
  readonly usage: RunResult['usage'];
}

/**
 * Reads the reply of a model server. Throws `RunFailure` when a 200 has no result. `ownReasons` maps the server's own
 * finish reasons to known ones.
 */
export function endpointReply(
  jobType: EndpointJobType,
  reply: unknown,
  ownReasons: Readonly<Record<string, string>> = {},
): EndpointReply {
  const { model, usage } = replyMetadata(reply);
  const output =
    jobType === 'embed' ? embedding(reply, usage?.input_tokens) : completion(reply, usage, ownReasons);
  return { output: JSON.stringify(output), model, usage };
}

/** Reads the members of a reply other than its answer. */
export function replyMetadata(reply: unknown): Omit<EndpointReply, 'output'> {
  const model = member(reply, 'model');
  return {
    model: typeof model === 'string' && model !== '' ? model : undefined,
    usage: tokenUsage(member(reply, 'usage')),
  };
}
