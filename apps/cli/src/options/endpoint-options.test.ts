import { Command } from 'commander';
import { expect, it } from 'vitest';
import { type EndpointOptions, withEndpoint, withEndpointOptions } from './endpoint-options.ts';

function endpointsOf(args: readonly string[], env: Record<string, string> = {}, alias?: string): unknown {
  const command = withEndpointOptions(new Command().argument('[file]')).exitOverride();
  command.parse(args, { from: 'user' });
  const all = withEndpoint(env, command.opts<EndpointOptions>(), alias)['MACBATCH_ENDPOINTS'];
  return all === undefined ? undefined : JSON.parse(all);
}

it('an endpoint goes to the workers with its models and its key, which is not on the command line', () => {
  const args = ['--endpoint', 'http://h/v1', '--map', 'a=x', '--map', 'b=y=z', '--endpoint-key-env', 'KEY'];
  expect(endpointsOf(args, { KEY: 'k-1' })).toEqual([
    { url: 'http://h/v1', models: { a: 'x', b: 'y=z' }, key: 'k-1' },
  ]);
});

it('--map takes one pair and leaves the file that follows it alone', () => {
  expect(endpointsOf(['--endpoint', 'http://h/v1', '--map', 'a=x', 'items.jsonl'])).toEqual([
    { url: 'http://h/v1', models: { a: 'x' } },
  ]);
});

it('without a map the model is called on the server what the job calls it', () => {
  expect(endpointsOf(['--endpoint', 'http://h/v1'], {}, 'llama')).toEqual([
    { url: 'http://h/v1', models: { llama: 'llama' } },
  ]);
});

it('without an endpoint what the environment says stays', () => {
  expect(endpointsOf([], { MACBATCH_ENDPOINTS: '[1]' })).toEqual([1]);
  expect(endpointsOf([])).toBeUndefined();
});
