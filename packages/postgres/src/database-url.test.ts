import { describe, expect, it } from 'vitest';
import { describeDatabase, parseDatabaseUrl, withDatabase } from './database-url.ts';

describe('a Postgres URL', () => {
  it.each(['', 'localhost', 'mysql://ann:secret@db/x', 'postgres://ann:sec ret@/:/x', 'postgres:'])(
    'is not "%s", and the error does not repeat it',
    (text) => {
      const parse = () => describeDatabase(parseDatabaseUrl(text));
      if (text === 'postgres:') return expect(parse()).toBe('localhost');
      expect(parse).toThrow(/must look like postgres:\/\//);
      expect(parse).not.toThrow(/secret/);
    },
  );

  it('is described without user, password and query', () => {
    const url = parseDatabaseUrl('postgresql://ann:secret@db.local:5433/jobs?password=secret');
    expect(describeDatabase(url)).toBe('db.local:5433/jobs');
  });

  it('keeps user, password and query when another database is named', () => {
    expect(withDatabase('postgres://ann:s%40crt@db/jobs?sslmode=require', 'copy_1')).toBe(
      'postgres://ann:s%40crt@db/copy_1?sslmode=require',
    );
  });
});
