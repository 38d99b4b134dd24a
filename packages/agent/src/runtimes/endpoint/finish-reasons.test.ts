import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RunFailure } from '../runtime.ts';
import { endpointReply } from './completion-reply.ts';
import { type AnswerEnd, answerEnd, FINISH_REASONS } from './finish-reasons.ts';

const PAGE = '../../../../../docs/model-servers.md';
const START = '<!-- written by finish-reasons.test.ts -->';
const END = '<!-- end of the written part -->';

/** The end of an item, by the kind of its answer's finish reason. */
const BECOMES: Readonly<Record<AnswerEnd, string>> = {
  complete: 'outcome',
  cut: 'outcome with `"cut": true`',
  filtered: "error `content_filtered`, with the model's words",
  refused: "error `model_refused`, with the model's words",
  failed: 'tried again, then error `incomplete_answer`',
};

const testTitle = (reason: string) => `finish_reason ${reason}`;

function ending(reason: string): string {
  const reply = { choices: [{ finish_reason: reason, message: { content: 'words' } }] };
  try {
    const { output } = endpointReply('chat', reply);
    return output.includes('"cut":true') ? BECOMES.cut : BECOMES.complete;
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    if (error.code === 'content_filtered' && error.message.includes('words')) return BECOMES.filtered;
    if (error.code === 'model_refused' && error.message.includes('words')) return BECOMES.refused;
    return error.failure === 'transient' && error.code === 'incomplete_answer'
      ? BECOMES.failed
      : String(error);
  }
}

it.each(FINISH_REASONS.map(({ reason, end }) => [testTitle(reason), reason, end] as const))(
  '%s',
  (_title, reason, end) => {
    expect(ending(reason)).toBe(BECOMES[end]);
    expect(ending(reason.toUpperCase())).toBe(BECOMES[end]);
  },
);

it('names no reason twice', () => {
  expect(new Set(FINISH_REASONS.map(({ reason }) => reason)).size).toBe(FINISH_REASONS.length);
});

it('treats an unknown or missing reason as a failure', () => {
  expect([undefined, null, '', 'anything', 7, {}].map((reason) => answerEnd(reason))).toEqual(
    Array.from({ length: 6 }, () => 'failed'),
  );
});

it('docs/model-servers.md shows every finish reason (run vitest with --update to rewrite it)', async () => {
  const rows = FINISH_REASONS.map(
    ({ reason, end, servers }) =>
      `| \`${reason}\` | ${servers} | ${BECOMES[end]} | \`${testTitle(reason)}\` |`,
  );
  const table = [
    '| finish reason | sent by | the item | test |',
    '| --- | --- | --- | --- |',
    ...rows,
    `| any other, or none | | ${BECOMES.failed} | \`treats an unknown or missing reason as a failure\` |`,
  ].join('\n');
  const page = readFileSync(new URL(PAGE, import.meta.url), 'utf8');
  const [before, rest = ''] = page.split(START);
  const [, after] = rest.split(END);
  await expect(`${before}${START}\n\n${table}\n\n${END}${after}`).toMatchFileSnapshot(PAGE);
});
