import { elements, isRecord, kindOf, member } from '../json-value.ts';
import { RunFailure, type RunResult } from '../runtime.ts';
import { emptyReply } from './empty-reply.ts';
import { answerEnd } from './finish-reasons.ts';
import { isAtMostDeep, keptMembers, MAX_DEPTH, saysNothing } from './kept-members.ts';
import { type MessageContent, messageContent } from './message-content.ts';
import { failureOfReply } from './server-failure.ts';

/** Members that are read, or that only describe the HTTP reply. */
const TAKEN = new Set([
  ...['id', 'object', 'created', 'model', 'choices', 'usage', 'timings', 'error'],
  ...['index', 'message', 'text', 'finish_reason', 'role', 'content', 'refusal', 'cut', 'dropped'],
]);
/** Members that are an answer without a text. */
const ANSWERS = ['tool_calls', 'function_call', 'audio', 'images', 'parts'];
const THOUGHTS = ['reasoning', 'reasoning_content', 'reasoning_details', 'thinking', 'thinking_blocks'];

/**
 * Reads the answer of a completion. Keeps everything that the server adds, such as log probabilities, reasoning and
 * citations, under the server's names. Throws a permanent `RunFailure` for an answer that was withheld and would be
 * again, and a transient one for an answer that is not whole.
 */
export function completion(
  reply: unknown,
  usage: RunResult['usage'],
  ownReasons: Readonly<Record<string, string>>,
): object {
  const [choice] = elements(member(reply, 'choices'));
  if (!isRecord(choice)) throw emptyReply('the reply has no choice');
  const message = member(choice, 'message');
  const reason = member(choice, 'finish_reason') ?? null;
  const error = [member(choice, 'error'), member(message, 'error')].find(isError);
  if (error !== undefined) throw brokenOff(reason, error);
  if (!isRecord(message) && member(choice, 'text') === undefined) {
    throw emptyReply('the choice has neither a message nor a text');
  }
  // A chat reply has a message, a completion a text.
  const source = member(message, 'content') ?? member(choice, 'text');
  const content = messageContent(source);
  if (content === null) {
    throw new RunFailure(
      'permanent',
      'unreadable_answer',
      `the model server answered with a content that is not a text (${kindOf(source)})`,
    );
  }
  const refusal = stringOf(member(message, 'refusal')) || content.refusal;
  const end = answerEnd(reason, ownReasons);
  if (end === 'failed') throw brokenOff(reason, undefined);
  if (end === 'filtered') throw filtered(reason, choice, refusal || content.text);
  if (end === 'refused' || refusal !== '') throw refused(refusal || content.text);
  const answer = answerOf([message, choice, reply], content);
  if (end === 'cut' && !hasAnswer(answer)) throw cutBeforeAnswer(answer, reason, usage);
  const { text, dropped, ...others } = answer;
  return {
    text,
    finish_reason: typeof reason === 'string' ? reason : null,
    ...(end === 'cut' ? { cut: true } : {}),
    ...others,
    ...(dropped.length > 0 ? { dropped } : {}),
  };
}

interface Answer {
  readonly text: string;
  readonly dropped: readonly string[];
  readonly [name: string]: unknown;
}

function answerOf(sources: readonly unknown[], { text, thinking, otherParts }: MessageContent): Answer {
  const ofParts = { thinking, parts: otherParts };
  const { members, dropped } = keptMembers([...sources, ofParts], TAKEN);
  return { ...members, text, dropped };
}

function hasAnswer(answer: Answer): boolean {
  return answer.text !== '' || ANSWERS.some((name) => Object.hasOwn(answer, name));
}

function cutBeforeAnswer(answer: Answer, reason: unknown, usage: RunResult['usage']): RunFailure {
  const thought =
    THOUGHTS.some((name) => Object.hasOwn(answer, name)) ||
    (usage?.['completion_tokens_details.reasoning_tokens'] ?? 0) > 0;
  const tokens = usage?.output_tokens === undefined ? '' : ` of ${usage.output_tokens} tokens`;
  return new RunFailure(
    'permanent',
    'token_limit_reached',
    thought
      ? `the model spent its whole budget${tokens} on thinking and gave no answer (finish_reason ${named(reason)}): ` +
          'raise max_tokens in params, or have the model think less'
      : `the token limit was reached before the answer began (finish_reason ${named(reason)}): ` +
          'raise max_tokens in params, or the context length of the model server',
  );
}

/** A failure for an answer that is not complete, according to the server. A retry may get a complete one. */
function brokenOff(reason: unknown, error: unknown): RunFailure {
  if (error === undefined) {
    return new RunFailure(
      'transient',
      'incomplete_answer',
      `the answer is not complete: the model server ended it with finish_reason ${named(reason)}. ` +
        'If this server ends whole answers like that, say so in finishReasons of its endpoint',
    );
  }
  const failure = failureOfReply(
    { status: 200, body: isAtMostDeep(error, MAX_DEPTH) ? JSON.stringify({ error }) : '' },
    0,
  );
  const words = failure.message.replace(/^the model server answered 200: /, '');
  const isKnown = ['rejected', 'not_here', 'overload'].includes(failure.failure);
  // The server has run the item, so it does not reject everything.
  const known = failure.failure === 'rejected' ? 'permanent' : failure.failure;
  return new RunFailure(
    isKnown ? known : 'transient',
    isKnown ? failure.code : 'incomplete_answer',
    `the model server broke off the answer (finish_reason ${named(reason)}): ${words}`,
  );
}

function filtered(reason: unknown, choice: unknown, words: string): RunFailure {
  const results = member(choice, 'content_filter_results');
  const categories = Object.entries(isRecord(results) ? results : {})
    .filter(([, result]) => member(result, 'filtered') === true)
    .map(([category]) => category);
  const because = [named(reason), ...categories].join(', ');
  return new RunFailure(
    'permanent',
    'content_filtered',
    `the model server filtered the answer (${because}): ${words === '' ? 'it sent no words' : words}`,
  );
}

function refused(words: string): RunFailure {
  return new RunFailure(
    'permanent',
    'model_refused',
    `the model refused: ${words === '' ? 'it gave no words' : words}`,
  );
}

function named(reason: unknown): string {
  return typeof reason === 'string' ? JSON.stringify(reason.slice(0, 100)) : kindOf(reason);
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether the `error` member of a reply holds an error. Some servers send an empty one. */
export function isError(error: unknown): boolean {
  return error !== undefined && error !== false && !saysNothing(error);
}
