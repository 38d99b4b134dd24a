import { describe, expect, it } from 'vitest';
import { ConnectionConfig } from './connection-config.ts';
import { ControlConfig } from './control-config.ts';
import { readConfig } from './read-config.ts';
import { ALL_VARIABLES, pickVariables, variablesOf, withoutEmptyVariables } from './variables.ts';
import { WorkerConfig } from './worker-config.ts';

const onlyIn = (config: typeof ControlConfig | typeof WorkerConfig) =>
  ALL_VARIABLES.filter((name) => !variablesOf(config).includes(name));

describe('readConfig', () => {
  it.each(onlyIn(WorkerConfig))('lets a worker ignore %s of another program', (name) => {
    expect(readConfig(WorkerConfig, { [name]: 'any' })).not.toHaveProperty(name);
  });

  it.each(onlyIn(ControlConfig))('lets a control plane ignore %s of another program', (name) => {
    expect(readConfig(ControlConfig, { [name]: 'any' })).not.toHaveProperty(name);
  });
});

describe('pickVariables', () => {
  it('picks the variables of one program that are set', () => {
    const env = { MACBATCH_KEY: 'k', MACBATCH_KEY_FILE: undefined, MACBATCH_PORT: '1', PATH: '/bin' };
    expect(pickVariables(ConnectionConfig, env)).toEqual({ MACBATCH_KEY: 'k' });
  });
});

describe('withoutEmptyVariables', () => {
  it('drops our variables that are empty, and no other', () => {
    expect(withoutEmptyVariables({ MACBATCH_PORT: '', MACBATCH_HOST: 'h', NO_COLOR: '' })).toEqual({
      MACBATCH_HOST: 'h',
      NO_COLOR: '',
    });
  });
});
