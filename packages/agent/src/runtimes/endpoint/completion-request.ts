import { reservedParam } from '@macbatch/core';
import { kindOf, member } from '../json-value.ts';
import { RunFailure, type RunRequest } from '../runtime.ts';
import { textOf } from '../text-payload.ts';

/** Job types that an OpenAI-compatible server can run. */
export const ENDPOINT_JOB_TYPES = ['chat', 'generate', 'embed'] as const;
export type EndpointJobType = (typeof ENDPOINT_JOB_TYPES)[number];

const PLACEHOLDER = '{{text}}';

export interface EndpointRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Builds the HTTP request for an item, without the model's name. Params are passed through, except two: `system`
 * becomes the first message (chat only), and `{{text}}` in `template` is replaced by the payload's text.
 */
export function endpointRequest(
  jobType: EndpointJobType,
  { params, payload }: Pick<RunRequest, 'params' | 'payload'>,
): EndpointRequest {
  const reserved = reservedParam(jobType, params);
  // A control plane of an earlier version accepts these.
  if (reserved !== null) refuse(`params.${reserved.name}: not allowed, ${reserved.why}`);
  const { system, template, ...passed } = params;
  if (system !== undefined && jobType !== 'chat') refuse('params.system: only chat takes a system message');
  switch (jobType) {
    case 'chat':
      return {
        path: '/chat/completions',
        body: { ...passed, messages: [...systemMessage(system), ...messagesOf(payload, template)] },
      };
    case 'generate':
      return {
        path: '/completions',
        body: { ...passed, prompt: filled(template, textOf(payload, ['prompt', 'text'])) },
      };
    case 'embed':
      if ((member(passed, 'encoding_format') ?? 'float') !== 'float') {
        refuse('params.encoding_format: expected "float", as outcomes hold lists of numbers');
      }
      return { path: '/embeddings', body: { ...passed, input: filled(template, textOf(payload)) } };
  }
}

function systemMessage(system: unknown): readonly object[] {
  if (system === undefined) return [];
  if (typeof system !== 'string') refuse(`params.system: expected a string, got ${kindOf(system)}`);
  return [{ role: 'system', content: system }];
}

function messagesOf(payload: unknown, template: unknown): readonly unknown[] {
  const messages = member(payload, 'messages');
  if (messages === undefined) {
    return [{ role: 'user', content: filled(template, textOf(payload, ['prompt', 'text'])) }];
  }
  if (template !== undefined) refuse('params.template: not allowed for a payload with messages');
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new RunFailure(
      'permanent',
      'invalid_payload',
      'payload.messages: expected an array of at least 1 message',
    );
  }
  for (const [at, message] of messages.entries()) {
    // The server checks the content: it can be a text, parts or tool calls.
    if (typeof member(message, 'role') !== 'string') {
      throw new RunFailure(
        'permanent',
        'invalid_payload',
        `payload.messages[${at}]: expected an object with a string "role"`,
      );
    }
  }
  return messages;
}

function filled(template: unknown, text: string): string {
  if (template === undefined) return text;
  if (typeof template !== 'string' || !template.includes(PLACEHOLDER)) {
    refuse(`params.template: expected a string that contains ${PLACEHOLDER}`);
  }
  // Not `replaceAll`, which would interpret "$&" in the text.
  return template.split(PLACEHOLDER).join(text);
}

function refuse(message: string): never {
  throw new RunFailure('permanent', 'invalid_params', message);
}
