import { kindOf, member } from '../json-value.ts';
import { RunFailure, type RunRequest } from '../runtime.ts';
import { textOf } from '../text-payload.ts';

/** What an OpenAI-compatible server runs. */
export const ENDPOINT_JOB_TYPES = ['chat', 'generate', 'embed'] as const;
export type EndpointJobType = (typeof ENDPOINT_JOB_TYPES)[number];

const PLACEHOLDER = '{{text}}';

/** Members of the request that are not the submitter's: an outcome is one whole answer to one item. */
const NOT_A_PARAM: Readonly<Record<string, string>> = {
  model: 'the job names its model by its own member',
  stream: 'answers are not streamed',
  messages: 'messages are the payload of an item',
  prompt: 'the prompt is the payload of an item',
  input: 'the input is the payload of an item',
  n: 'an item has one answer',
};

export interface EndpointRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * The HTTP request for an item, without the model's name. Params are passed through, except `system`
 * (a message before the payload's, chat only) and `template` (a text that has the payload's text
 * where it says `{{text}}`).
 */
export function endpointRequest(
  jobType: EndpointJobType,
  { params, payload }: Pick<RunRequest, 'params' | 'payload'>,
): EndpointRequest {
  for (const [name, why] of Object.entries(NOT_A_PARAM)) {
    if (Object.hasOwn(params, name)) refuse(`params.${name}: not allowed, ${why}`);
  }
  const { system, template, ...passed } = params;
  if (system !== undefined && jobType !== 'chat') refuse('params.system: only chat has a system message');
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
        refuse('params.encoding_format: an embedding is a list of numbers ("float")');
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
  if (template !== undefined) refuse('params.template: needs a text, and this payload has messages');
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new RunFailure(
      'permanent',
      'invalid_payload',
      'payload.messages: expected an array of at least 1 message',
    );
  }
  for (const [at, message] of messages.entries()) {
    // Contents have many shapes (text, parts, tool calls): the server knows which it takes.
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
    refuse(`params.template: expected a string with ${PLACEHOLDER} in it`);
  }
  // Not `replaceAll` with a string: "$&" in a text would be taken for a pattern.
  return template.split(PLACEHOLDER).join(text);
}

function refuse(message: string): never {
  throw new RunFailure('permanent', 'invalid_params', message);
}
