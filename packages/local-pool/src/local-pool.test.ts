import { ControlConfig, pickVariables, variablesOf, WorkerConfig } from '@macbatch/settings';
import { describe, expect, it } from 'vitest';
import { controlEnv, workerEnv } from './local-pool.ts';

type Env = Readonly<Record<string, string>>;
const controlEnvWith = (workers: number, env: Env = {}) =>
  controlEnv({ dataDir: '/data', env, port: 7421, host: 'here', workers });
const workerEnvWith = (env: Env) =>
  workerEnv({ dataDir: '/data', env, port: 0, workers: 1 }, 'http://here', 'mac-1');
const exported = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `set-${name}`]));
const ALL = exported([...variablesOf(ControlConfig), ...variablesOf(WorkerConfig), 'MACBATCH_URL', 'PATH']);

describe('controlEnv', () => {
  it('E: turns copies off for workers on one machine, unless the shell turns them on', () => {
    expect(controlEnvWith(2)).toMatchObject({ MACBATCH_COPIES: 'off' });
    expect(controlEnvWith(2, { MACBATCH_COPIES: 'on' })).toMatchObject({ MACBATCH_COPIES: 'on' });
  });

  it('E: leaves copies on without local workers, unless the shell turns them off', () => {
    expect(controlEnvWith(0)).not.toHaveProperty('MACBATCH_COPIES');
    expect(controlEnvWith(0, { MACBATCH_COPIES: 'off' })).toMatchObject({ MACBATCH_COPIES: 'off' });
  });

  const OWN: Env = { MACBATCH_PORT: '7421', MACBATCH_HOST: 'here' };
  it.each(variablesOf(ControlConfig).filter((name) => name !== 'MACBATCH_DATA_DIR'))(
    'passes on %s, or the value that the pool has for it',
    (name) => {
      expect(controlEnvWith(0, ALL)[name]).toBe(OWN[name] ?? `set-${name}`);
    },
  );

  it('keeps the database in the folder of the pool when the shell names no database', () => {
    expect(controlEnvWith(0, { MACBATCH_DATA_DIR: '/elsewhere' })).toMatchObject({
      MACBATCH_DATA_DIR: '/data/postgres',
      MACBATCH_DATABASE_URL: undefined,
    });
    expect(controlEnvWith(0, ALL)['MACBATCH_DATA_DIR']).toBeUndefined();
  });

  it('passes on no variable of another macbatch program, and every variable of the system', () => {
    const set = Object.entries(controlEnvWith(0, ALL)).filter(([, value]) => value !== undefined);
    const ours = set.map(([name]) => name).filter((name) => name.startsWith('MACBATCH_'));
    expect(ours.filter((name) => !variablesOf(ControlConfig).includes(name))).toEqual([]);
    expect(Object.fromEntries(set)).toMatchObject({ PATH: 'set-PATH' });
  });
});

describe('workerEnv', () => {
  const OWN: Env = {
    MACBATCH_CONTROL_URL: 'http://here',
    MACBATCH_WORKER_ID: 'mac-1',
    MACBATCH_STATE_DIR: '/data/workers',
  };
  it.each(variablesOf(WorkerConfig).filter((name) => name !== 'MACBATCH_JOIN_TOKEN'))(
    'passes on %s, or the value that the pool has for it',
    (name) => {
      expect(workerEnvWith(ALL)[name]).toBe(OWN[name] ?? `set-${name}`);
    },
  );

  it('passes on no variable of another macbatch program, and no join token', () => {
    const ours = Object.keys(pickVariables(ControlConfig, { ...workerEnvWith(ALL), PROBE_STATE: undefined }));
    expect(ours).toEqual([]);
    expect(workerEnvWith(ALL)['MACBATCH_JOIN_TOKEN']).toBeUndefined();
    expect(workerEnvWith(ALL)).not.toHaveProperty('MACBATCH_URL');
  });
});
