import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { statement } from './statement.ts';

type Args = { worker: string; attempts: number[]; error: string | null };

const counted = statement<Args, { count: number }>(
  (arg) =>
    sql`select ${arg.worker('text')}, ${arg.attempts('int[]')}, ${arg.worker('text')}, ${arg.error('text')}`,
);

describe('a statement', () => {
  it('renders each argument as a numbered placeholder with its SQL type', () => {
    expect(counted.text).toBe('select $1::text, $2::int[], $3::text, $4::text');
  });

  it('orders the values by their placeholders and keeps null', () => {
    expect(counted.values({ error: null, attempts: [1, 2], worker: 'ann' })).toEqual([
      'ann',
      [1, 2],
      'ann',
      null,
    ]);
  });

  it('rejects a missing argument, which the compiler rejects too', () => {
    // @ts-expect-error `error` is missing.
    expect(() => counted.values({ worker: 'ann', attempts: [] })).toThrow('The argument error is missing');
  });

  it('does not compile with a misspelt argument in a call', () => {
    // @ts-expect-error `wroker` is not an argument.
    expect(() => counted.values({ wroker: 'ann', attempts: [], error: null })).toThrow('worker is missing');
  });

  it('does not compile with a misspelt argument in its text', () => {
    // @ts-expect-error `wroker` is not an argument.
    const misspelt = statement<Args, never>((arg) => sql`select ${arg.wroker('text')}`);
    expect(() => misspelt.values({ worker: 'ann', attempts: [], error: null })).toThrow('wroker is missing');
  });

  it('does not compile with an SQL type that does not fit the argument', () => {
    // @ts-expect-error `worker` is a string.
    expect(statement<Args, never>((arg) => sql`select ${arg.worker('int')}`).text).toBe('select $1::int');
    // @ts-expect-error `attempts` holds numbers.
    expect(statement<Args, never>((arg) => sql`select ${arg.attempts('text[]')}`).text).toContain('text[]');
  });

  it('rejects a value that is not an argument', () => {
    expect(() => statement<Args, never>(() => sql`select ${'ann'}`)).toThrow('may hold no values');
  });

  it('takes no argument object when it has no arguments', () => {
    const plain = statement<Record<never, never>, never>(() => sql`select 1`);
    expect(plain.values()).toEqual([]);
    // @ts-expect-error The statement has no arguments.
    expect(plain.values({ worker: 'ann' })).toEqual([]);
  });
});
