import { expect, it } from 'vitest';
import { parsePrompt } from '../items/prompt-template.ts';
import { contentKey } from '../submission.ts';
import { inputOf } from '../testing/text-input.ts';
import { inputDraft } from './input-draft.ts';

const LINES = Array.from({ length: 9 }, (_, n) => `{"id":${n},"a":"x${n}","b":"y"}\n`).join('');

async function keyOf(options: Parameters<typeof inputOf>[1], params = {}): Promise<string> {
  const input = await inputOf({ 'a.jsonl': LINES }, options);
  return contentKey(inputDraft({ job_type: 'chat', model: 'm', params }, input));
}

it('I6: the same file with the same options has the same key, and each option that changes items changes the key', async () => {
  const prompt = (text: string) => ({
    form: { idColumn: null, payload: { kind: 'prompt' as const, template: parsePrompt(text, '--prompt') } },
  });
  const sample = (count: number, seed: number) => ({ choice: { kind: 'sample' as const, count, seed } });
  const options = [
    {},
    { format: 'lines' as const },
    prompt('Sort {{a}}'),
    prompt('Rate {{a}}'),
    { form: { idColumn: null, payload: { kind: 'column' as const, column: 'a' } } },
    { form: { idColumn: 'a', payload: { kind: 'column' as const, column: 'a' } } },
    { choice: { kind: 'first' as const, count: 3 } },
    sample(3, 1),
    sample(3, 2),
  ];
  const keys = await Promise.all(options.map((each) => keyOf(each)));
  expect(new Set(keys).size).toBe(options.length);
  expect(await Promise.all(options.map((each) => keyOf(each)))).toEqual(keys);
  expect(keys).not.toContain(await keyOf({}, { system: 'Be short.' }));
});

it('names both places of an id that two items have', async () => {
  const input = await inputOf({ 'a.csv': 'id,text\n1,a\n2,b\n1,c\n' }, {});
  const read = contentKey(inputDraft({ job_type: 'chat', model: 'm' }, input));
  await expect(read).rejects.toThrow(
    'line 4: the id "1" is used before, on line 2. Each item needs its own.',
  );
});
