import type { ServiceStatus } from '@macbatch/service';
import { expect, it } from 'vitest';
import { statusRows } from './status-rows.ts';

const NOW = new Date('2026-12-01T12:00:00Z');

const STATUS: ServiceStatus = {
  installed: true,
  boot: false,
  manager: 'launchd',
  state: {
    loaded: true,
    running: false,
    pid: null,
    starts: 3,
    exitCode: null,
    signal: null,
    restarting: false,
    gaveUp: false,
    switchedOff: false,
  },
  worker: {
    worker_id: 'mac-1',
    state_folder: '/Users/ann/.macbatch/workers',
    url: 'https://pool',
    joined: true,
    configured: false,
    unsent: 0,
  },
  sign: null,
  crash: null,
  log: '/Users/ann/Library/Logs/macbatch/worker.log',
};

const rows = (status: Partial<ServiceStatus>) =>
  Object.fromEntries(statusRows({ ...STATUS, ...status }, null, NOW));

it('says why a worker does nothing', () => {
  expect(rows({ installed: false })['service']).toBe('not installed: macbatch worker install');
  const { state, worker } = STATUS;
  expect(
    rows({ state: { ...state, exitCode: 0 }, sign: { kind: 'failed', reason: 'This key was revoked.' } }),
  ).toMatchObject({ 'last exit': 'exit code 0: ended by itself', reason: 'This key was revoked.' });
  expect(rows({ state: { ...state, switchedOff: true } })['switched off']).toContain('Login Items');
  expect(rows({ state: { ...state, exitCode: 78 }, crash: 'No Node\nwas found' })['crash']).toBe(
    'No Node | was found',
  );
  expect(rows({ worker: { ...worker, problem: 'refused' } })['control plane']).toBe('https://pool: refused');
  expect(rows({ worker: { ...worker, unsent: 5 } })['not sent']).toBe('5 outcomes');
});
