import { paramProblem, TEMPLATE_PLACEHOLDER } from '@macbatch/core';
import { member } from '../json-value.ts';
import { RunFailure, type RunRequest } from '../runtime.ts';
import { textOf } from '../text-payload.ts';

/** Job types that an OpenAI-compatible server can run. */
export const ENDPOINT_JOB_TYPES = ['chat', 'generate', 'embed'] as const;
export type EndpointJobType = (typeof ENDPOINT_JOB_TYPES)[number];

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
  const found = paramProblem(jobType, params);
  // A control plane of an earlier version accepts these.
  if (found !== null) refuse(`${found.path}: ${found.problem}`);
  const { system, template, ...passed } = params;
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
      return { path: '/embeddings', body: { ...passed, input: filled(template, textOf(payload)) } };
  }
}

function systemMessage(system: unknown): readonly object[] {
  return typeof system !== 'string' ? [] : [{ role: 'system', content: system }];
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
  // Not `replaceAll`, which would interpret "$&" in the text.
  return typeof template === 'string' ? template.split(TEMPLATE_PLACEHOLDER).join(text) : text;
}

function refuse(message: string): never {
  throw new RunFailure('permanent', 'invalid_params', message);
}
