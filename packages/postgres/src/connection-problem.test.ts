import { describe, expect, it } from 'vitest';
import { connectionProblem } from './connection-problem.ts';

const failed = (code: string) =>
  connectionProblem(Object.assign(new Error('refused'), { code }), 'db/jobs', 'ann');

describe('connectionProblem', () => {
  it.each([
    ['28P01', 'wrong_password'],
    ['28000', 'wrong_password'],
    ['3D000', 'no_such_database'],
    ['57P03', 'not_ready'],
    ['53300', 'not_ready'],
    ['ECONNREFUSED', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['CONNECT_TIMEOUT', 'unreachable'],
  ])('with %s means %s', (code, problem) => {
    expect(failed(code)).toMatchObject({ code: problem, message: expect.stringContaining('db/jobs') });
  });
});
