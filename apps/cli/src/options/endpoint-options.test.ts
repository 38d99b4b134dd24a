import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@macbatch/core';
import { testFolder } from '@macbatch/testing';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { type EndpointOptions, withEndpoint, withEndpointOptions } from './endpoint-options.ts';

function envOf(args: readonly string[], env: Record<string, string> = {}, alias?: string) {
  const command = withEndpointOptions(new Command().argument('[file]')).exitOverride();
  command.parse(args, { from: 'user' });
  return withEndpoint({ env, cwd: import.meta.dirname }, command.opts<EndpointOptions>(), alias);
}

function endpointsOf(args: readonly string[], env: Record<string, string> = {}, alias?: string): unknown {
  const { MACBATCH_ENDPOINTS: endpoints } = envOf(args, env, alias);
  return endpoints === undefined ? undefined : JSON.parse(endpoints);
}

it('passes an endpoint with its models and the key from the environment', () => {
  const args = ['--endpoint', 'http://h/v1', '--map', 'a=x', '--map', 'b=y=z', '--endpoint-key-env', 'KEY'];
  expect(endpointsOf(args, { KEY: 'k-1' })).toEqual([
    { url: 'http://h/v1', models: { a: 'x', b: 'y=z' }, key: 'k-1' },
  ]);
});

it('reads one pair for each --map, and not the file after it', () => {
  expect(endpointsOf(['--endpoint', 'http://h/v1', '--map', 'a=x', 'items.jsonl'])).toEqual([
    { url: 'http://h/v1', models: { a: 'x' } },
  ]);
});

it('uses the model name of the job when there is no --map', () => {
  expect(endpointsOf(['--endpoint', 'http://h/v1'], {}, 'llama')).toEqual([
    { url: 'http://h/v1', models: { llama: 'llama' } },
  ]);
});

it('passes headers of options and of a file, and neither of them takes the file that follows', () => {
  const headerFile = join(testFolder(), 'headers');
  writeFileSync(headerFile, 'api-key: s3cret\nx-a: 0\n');
  const args = [
    '--endpoint',
    'http://h/v1',
    '--header',
    'x-a: 1',
    '--header',
    'x-b:2',
    '--header-file',
    headerFile,
  ];
  expect(endpointsOf([...args, 'items.jsonl'], {}, 'm')).toEqual([
    { url: 'http://h/v1', models: { m: 'm' }, headers: { 'api-key': 's3cret', 'x-a': '1', 'x-b': '2' } },
  ]);
});

it('refuses invalid headers without repeating their values', () => {
  const headerFile = join(testFolder(), 'headers');
  writeFileSync(headerFile, 's3cret');
  const refusal = (...args: string[]) => {
    try {
      return endpointsOf(args, {}, 'm');
    } catch (error) {
      return messageOf(error);
    }
  };
  const endpoint = ['--endpoint', 'http://h/v1'];
  expect(refusal(...endpoint, '--header', 's3cret')).toBe('--header takes "Name: value"');
  expect(refusal(...endpoint, '--header-file', headerFile)).toMatch(
    /line 1 of .*headers is not "Name: value"$/,
  );
  expect(refusal(...endpoint, '--header-file', 'missing')).toMatch(/--header-file: ENOENT/);
  expect(refusal('--header', 'a: b')).toBe('--header needs --endpoint');
  expect(refusal('--header-file', headerFile)).toBe('--header-file needs --endpoint');
});

it('maps aliases of discovered servers when there is no --endpoint', () => {
  expect(envOf(['--map', 'a=x', '--map', 'b=y:1'])).toEqual({ MACBATCH_ALIASES: '{"a":"x","b":"y:1"}' });
  for (const [name, value] of [
    ['MACBATCH_DISCOVER', '0'],
    ['MACBATCH_ENDPOINTS', '[{}]'],
  ] as const)
    expect(() => envOf(['--map', 'a=x'], { [name]: value })).toThrow(/--map needs --endpoint/);
});

it('leaves the environment unchanged when there is no --endpoint', () => {
  expect(endpointsOf([], { MACBATCH_ENDPOINTS: '[1]' })).toEqual([1]);
  expect(endpointsOf([])).toBeUndefined();
});
