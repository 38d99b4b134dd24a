import { Command } from 'commander';
import { expect, it } from 'vitest';
import { type EndpointOptions, withEndpoint, withEndpointOptions } from './endpoint-options.ts';

function endpointsOf(args: readonly string[], env: Record<string, string> = {}, alias?: string): unknown {
  const command = withEndpointOptions(new Command().argument('[file]')).exitOverride();
  command.parse(args, { from: 'user' });
  const endpoints = withEndpoint(env, command.opts<EndpointOptions>(), alias)['MACBATCH_ENDPOINTS'];
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

it('leaves the environment unchanged when there is no --endpoint', () => {
  expect(endpointsOf([], { MACBATCH_ENDPOINTS: '[1]' })).toEqual([1]);
  expect(endpointsOf([])).toBeUndefined();
});
