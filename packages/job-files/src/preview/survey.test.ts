import { itemKey } from '@macbatch/core';
import { expect, it } from 'vitest';
import { inputOf } from '../testing/text-input.ts';
import { surveyInput } from './survey.ts';

it('counts items, columns and repeats, shows three items, and derives the keys of different items', async () => {
  const input = await inputOf({ 'a.csv': 'id,text\na,x\nb,y\nc,x\na,z\nd,w\n' }, { jobType: 'chat' });
  const keys: string[] = [];
  const header = { job_type: 'chat', model: 'm', params: { system: 'Be brief.' } } as const;
  const survey = await surveyInput(header, input, async (key) => void keys.push(key));
  expect(survey).toEqual({
    items: 5,
    payloadBytes: 15,
    columns: ['id', 'text'],
    repeatedIds: [{ id: 'a', first: 'line 2', second: 'line 5' }],
    repeatedItems: 1,
    comparedItems: null,
    examples: [
      { id: 'a', payload: '"x"' },
      { id: 'b', payload: '"y"' },
      { id: 'c', payload: '"x"' },
    ],
  });
  const keyed = { jobType: 'chat', model: 'm', params: '{"system":"Be brief."}' } as const;
  expect(keys).toEqual(['"x"', '"y"', '"z"', '"w"'].map((payload) => itemKey(keyed, payload)));
});

it('names the columns of all records of JSON', async () => {
  const input = await inputOf({ 'a.jsonl': '{"a":1}\n{"b":2,"a":3}\n' });
  expect(await surveyInput({ job_type: 'noop', model: 'm' }, input)).toMatchObject({ columns: ['a', 'b'] });
});
