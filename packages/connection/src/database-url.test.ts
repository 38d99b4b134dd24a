import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl, withDatabase } from './database-url.ts';

const hrefs = (text: string) => parseDatabaseUrl(text).hosts.map(({ url }) => url.href);

describe('parseDatabaseUrl', () => {
  it.each([
    '',
    'localhost',
    'mysql://ann:secret@db/x',
    'postgres://ann:sec ret@/:/x',
    'postgres://ann:secret@a,,b/x',
    'postgres://ann:secret@a,b:port/x',
  ])('rejects "%s" with an error that does not contain the URL', (text) => {
    const parse = () => parseDatabaseUrl(text);
    expect(parse).toThrow(/must look like postgres:\/\//);
    expect(parse).not.toThrow(/secret/);
  });

  it('accepts a URL without a host and leaves the defaults to the driver', () => {
    expect(parseDatabaseUrl('postgres:')).toMatchObject({ description: 'localhost', user: '' });
  });

  it('describes the database without user, password and query', () => {
    const { description, user } = parseDatabaseUrl(
      'postgresql://ann%20a:secret@db.local:5433,[::1]:5434/jobs?password=secret',
    );
    expect(description).toBe('db.local:5433,[::1]:5434/jobs');
    expect(user).toBe('ann a');
  });

  it('copies user, database and parameters to each of several hosts', () => {
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
  ])('names the parameter that it rejects: %s', (query, name) => {
    expect(() => parseDatabaseUrl(`postgres://h/db?${query}`)).toThrow(`${name} in the Postgres URL must be`);
  });

  it('reads prepare and connect_timeout', () => {
    const address = parseDatabaseUrl(
      'postgres://h/db?prepare=false&connect_timeout=3&target_session_attrs=any',
    );
    expect(address).toMatchObject({ prepare: false, connectSeconds: 3 });
    expect(address.hosts.map(({ url }) => url.href)).toEqual(['postgres://h/db']);
  });

  it('keeps everything else when the database is replaced', () => {
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
  ])('reads the TLS mode of "%s" as libpq does', (query, tls) => {
    expect(parseDatabaseUrl(`postgres://h/db?${query}`).hosts.map((host) => host.tls)).toEqual([tls]);
  });

  it('names a root certificate that does not exist', () => {
    expect(() => parseDatabaseUrl('postgres://h/db?sslmode=verify-full&sslrootcert=/no/such/file')).toThrow(
      /^sslrootcert in the Postgres URL can't be read: .*\/no\/such\/file/,
    );
  });
});
