import { expect, it } from 'vitest';
import { jsonProblem } from './json-problem.ts';

it.each(['{"id": 1 "payload": 2}', '[1,\n2 3]', '{"a"'])('names no line of its own for %j', (text) => {
  let problem = '';
  try {
    JSON.parse(text);
  } catch (error) {
    problem = jsonProblem(error);
  }
  expect(problem).toMatch(/at character \d+$/);
});

it('keeps a message without a position', () => {
  expect(jsonProblem(new SyntaxError('Unexpected end of JSON input'))).toBe('Unexpected end of JSON input');
});
