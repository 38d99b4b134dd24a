import { elements, isRecord, member } from '../json-value.ts';
import { isAtMostDeep, MAX_DEPTH } from './kept-members.ts';

/** The content of a message, sorted by what its parts are. */
export interface MessageContent {
  readonly text: string;
  readonly thinking: string;
  readonly refusal: string;
  /** Parts of other types, as the server sent them. */
  readonly otherParts: readonly unknown[];
}

/** Names of the member that holds the text of a thinking part, by server. */
const THINKING_MEMBERS = ['thinking', 'reasoning', 'summary', 'text', 'content'];
const TEXT_TYPES: readonly unknown[] = ['text', 'output_text', undefined];
const THINKING_TYPES: readonly unknown[] = ['thinking', 'reasoning', 'reasoning_text', 'summary_text'];

/**
 * Reads the content of a message: a text, or a list of parts such as Mistral's reasoning models send. An object that
 * is no part is an answer that the server has parsed already: its JSON is the text. Returns null for anything else.
 */
export function messageContent(content: unknown): MessageContent | null {
  if (content === null || content === undefined) return contentOf([]);
  if (typeof content === 'string') return contentOf([content]);
  if (Array.isArray(content)) return contentOf(content);
  if (!isRecord(content) || !isAtMostDeep(content, MAX_DEPTH)) return null;
  const isPart = typeof member(content, 'type') === 'string' || typeof member(content, 'text') === 'string';
  return contentOf([isPart ? content : JSON.stringify(content)]);
}

function contentOf(parts: readonly unknown[]): MessageContent {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const refusals: string[] = [];
  const otherParts: unknown[] = [];
  for (const part of parts) {
    const type = member(part, 'type');
    const text = typeof part === 'string' ? part : textOfPart(part);
    if (THINKING_TYPES.includes(type)) thoughts.push(wordsOf(part));
    else if (type === 'refusal') refusals.push(wordsOf(member(part, 'refusal')));
    else if (TEXT_TYPES.includes(type) && text !== null) texts.push(text);
    else otherParts.push(part);
  }
  return { text: texts.join(''), thinking: thoughts.join(''), refusal: refusals.join(''), otherParts };
}

function textOfPart(part: unknown): string | null {
  const text = member(part, 'text');
  // The Assistants API nests it: {"text": {"value": "…"}}.
  const value = isRecord(text) ? member(text, 'value') : text;
  return typeof value === 'string' ? value : null;
}

/** Returns the text of a part. Reads at most a few levels deep. */
function wordsOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (depth > 4) return '';
  if (Array.isArray(value))
    return elements(value)
      .map((each) => wordsOf(each, depth + 1))
      .join('');
  const name = THINKING_MEMBERS.find((each) => member(value, each) !== undefined);
  return name === undefined ? '' : wordsOf(member(value, name), depth + 1);
}
