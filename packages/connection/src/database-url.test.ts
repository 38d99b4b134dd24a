import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl, withDatabase } from './database-url.ts';

const hrefs = (text: string) => parseDatabaseUrl(text).hosts.map(({ url }) => url.href);

describe('a Postgres URL', () => {
  it.each([
    '',
    'localhost',
    'mysql://ann:secret@db/x',
    'postgres://ann:sec ret@/:/x',
    'postgres://ann:secret@a,,b/x',
    'postgres://ann:secret@a,b:port/x',
  ])('is not "%s", and the error does not repeat it', (text) => {
    const parse = () => parseDatabaseUrl(text);
    expect(parse).toThrow(/must look like postgres:\/\//);
    expect(parse).not.toThrow(/secret/);
  });

  it('may name nothing: the driver takes what libpq would', () => {
    expect(parseDatabaseUrl('postgres:')).toMatchObject({ description: 'localhost', user: '' });
  });

  it('is described without user, password and query', () => {
    const { description, user } = parseDatabaseUrl(
      'postgresql://ann%20a:secret@db.local:5433,[::1]:5434/jobs?password=secret',
    );
    expect(description).toBe('db.local:5433,[::1]:5434/jobs');
    expect(user).toBe('ann a');
  });

  it('names several hosts, each with everything else', () => {
    expect(
      hrefs('postgres://u:p%40%2C@h1:5433,h2/db?target_session_attrs=read-write&options=-csearch_path%3Da'),
    ).toEqual([
      'postgres://u:p%40%2C@h1:5433/db?options=-csearch_path%3Da',
      'postgres://u:p%40%2C@h2/db?options=-csearch_path%3Da',
    ]);
  });

  it.each([
    ['target_session_attrs=standby', 'target_session_attrs'],
    ['prepare=no', 'prepare'],
    ['connect_timeout=0', 'connect_timeout'],
    ['sslmode=sometimes', 'sslmode'],
  ])('with %s is refused by the name of it', (query, name) => {
    expect(() => parseDatabaseUrl(`postgres://h/db?${query}`)).toThrow(`${name} in the Postgres URL must be`);
  });

  it('says whether statements may be prepared and how long to wait for a host', () => {
    const address = parseDatabaseUrl(
      'postgres://h/db?prepare=false&connect_timeout=3&target_session_attrs=any',
    );
    expect(address).toMatchObject({ prepare: false, connectSeconds: 3 });
    expect(address.hosts.map(({ url }) => url.href)).toEqual(['postgres://h/db']);
  });

  it('keeps hosts, user, password and query when another database is named', () => {
    expect(withDatabase('postgres://ann:s%40crt@db,db2:1/jobs?sslmode=require', 'copy_1')).toBe(
      'postgres://ann:s%40crt@db,db2:1/copy_1?sslmode=require',
    );
    expect(withDatabase('postgres://db', 'copy_1')).toBe('postgres://db/copy_1');
  });

  it.each([
    ['', false],
    ['sslmode=disable', false],
    ['sslmode=prefer', { required: false, options: { rejectUnauthorized: false } }],
    ['ssl=true', { required: true, options: { rejectUnauthorized: false } }],
    ['sslmode=require', { required: true, options: { rejectUnauthorized: false } }],
    ['sslmode=verify-full', { required: true, options: {} }],
    ['sslrootcert=system', { required: true, options: {} }],
    ['sslmode=require&sslrootcert=system', { required: true, options: {} }],
  ])('asks for TLS with "%s" as libpq does', (query, tls) => {
    expect(parseDatabaseUrl(`postgres://h/db?${query}`).hosts.map((host) => host.tls)).toEqual([tls]);
  });

  it('names the root certificate that is not there', () => {
    expect(() => parseDatabaseUrl('postgres://h/db?sslmode=verify-full&sslrootcert=/no/such/file')).toThrow(
      /^sslrootcert in the Postgres URL can't be read: .*\/no\/such\/file/,
    );
  });
});
