import { expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, readConfig } from './read-config.ts';

const schema = z.object({
  MACBATCH_PORT: z.coerce.number('must be a port').int().min(0).max(65_535).default(7420),
  MACBATCH_URL: z.url('must be a URL'),
  MACBATCH_LIST: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(z.array(z.strictObject({ url: z.string('needs a url') })))
    .optional(),
  DATABASE: z.string().optional(),
});

function problemsOf(env: Record<string, string | undefined>): string[] {
  try {
    readConfig(schema, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').slice(1);
  }
  throw new Error('the configuration was taken');
}

it('reads values, fills in defaults and ignores variables of other programs', () => {
  const env = { MACBATCH_URL: 'http://here', DATABASE: 'x', PATH: '/bin', HOME: undefined };
  expect(readConfig(schema, env)).toEqual({
    MACBATCH_PORT: 7420,
    MACBATCH_URL: 'http://here',
    DATABASE: 'x',
  });
});

it('treats an empty variable as unset, even an unknown one', () => {
  const env = { MACBATCH_URL: 'http://here', MACBATCH_PORT: '', DATABASE: '', MACBATCH_OTHER: '' };
  expect(readConfig(schema, env)).toEqual({ MACBATCH_PORT: 7420, MACBATCH_URL: 'http://here' });
  expect(problemsOf({ MACBATCH_URL: '' })).toEqual(['  MACBATCH_URL: is not set']);
});

it('reports all problems together, each with the name of its variable', () => {
  expect(
    problemsOf({ MACBATCH_PORT: 'eighty', MACBATCH_LIST: '[{"url":5},{}]', MACBATCH_PROT: '80' }),
  ).toEqual([
    '  MACBATCH_PORT: must be a port',
    '  MACBATCH_URL: is not set',
    '  MACBATCH_LIST.0.url: needs a url',
    '  MACBATCH_LIST.1.url: needs a url',
    '  MACBATCH_PROT: is not a variable of this program',
  ]);
});

it('refuses a variable with our prefix that no program has', () => {
  const env = { MACBATCH_URL: 'http://here', MACBATCH_CONCURRENCY: '1' };
  expect(problemsOf({ ...env, MACBATCH_OTHER: '1' })).toEqual([
    '  MACBATCH_OTHER: is not a variable of this program',
  ]);
  expect(readConfig(schema, env)).toEqual({ MACBATCH_PORT: 7420, MACBATCH_URL: 'http://here' });
});

it.each([
  { MACBATCH_PORT: '4711.5', MACBATCH_URL: 'hunter4711' },
  { MACBATCH_PORT: '99994711', MACBATCH_URL: 'not a url 4711' },
  { MACBATCH_URL: 'http://here', MACBATCH_LIST: '[{"url":"u","key-4711":"secret-4711"}]' },
  { MACBATCH_URL: 'http://here', MACBATCH_LIST: '"secret-4711"' },
])('never reports a value: %o', (env) => {
  expect(problemsOf(env).join('\n')).not.toContain('4711');
});
