import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type BootProbeOptions, probeBoot } from './boot-probe.ts';

const statePath = () => join(mkdtempSync(join(tmpdir(), 'macbatch-probe-')), 'probe_state.json');
const worker = (path: string, name = 'mac-1'): BootProbeOptions => ({
  role: 'worker',
  name,
  path,
  startedAt: '2026-01-02T03:04:05.000Z',
});

it('B1: a boot is told with its id, process, host, start, folder and whether the temp folder can be written', () => {
  const { boot } = probeBoot(worker(statePath()));
  expect(boot).toEqual({
    boot_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    pid: process.pid,
    hostname: hostname(),
    started_at: '2026-01-02T03:04:05.000Z',
    cwd: process.cwd(),
    tmp_writable: true,
  });
});

it('B1: the second boot finds the record of the first', () => {
  const path = statePath();
  const first = probeBoot(worker(path));
  const second = probeBoot(worker(path));
  expect(first).toMatchObject({
    previous_record_found: false,
    process_replaced: false,
    state_survived_restart: false,
  });
  expect(second).toMatchObject({
    previous_record_found: true,
    process_replaced: true,
    state_survived_restart: true,
    previous_boot_id: first.boot.boot_id,
  });
});

it('B2: several programs share the file, one record for each role and name', () => {
  const path = statePath();
  const control = probeBoot({ ...worker(path), role: 'control' });
  const one = probeBoot(worker(path, 'mac-1'));
  const two = probeBoot(worker(path, 'mac-2'));
  expect(probeBoot({ ...worker(path), role: 'control' }).previous_boot_id).toBe(control.boot.boot_id);
  expect(probeBoot(worker(path, 'mac-1')).previous_boot_id).toBe(one.boot.boot_id);
  expect(probeBoot(worker(path, 'mac-2')).previous_boot_id).toBe(two.boot.boot_id);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.each([
  ['empty', ''],
  ['torn', '{"worker:mac-1":{"boot_id":"x","pi'],
  ['no object', '[1,2]'],
  ['of another shape', '{"worker:mac-1":{"boot_id":7}}'],
  ['binary', '\u0000\u0001\ufffd'],
])('B2: a record that is %s counts as none, and the next boot finds the new one', (_, text) => {
  const path = statePath();
  writeFileSync(path, text);
  expect(probeBoot(worker(path)).previous_record_found).toBe(false);
  expect(probeBoot(worker(path)).previous_record_found).toBe(true);
});

it('B2: a torn file of one program does not stop another', () => {
  const path = statePath();
  writeFileSync(path, '{"worker:mac-1":null,"worker:mac-2":{"torn":true}}');
  expect(probeBoot(worker(path, 'mac-3')).previous_record_found).toBe(false);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveProperty('worker:mac-1');
});

it('B2: a place that cannot be read or written counts as no record and stops nobody', () => {
  const folder = mkdtempSync(join(tmpdir(), 'macbatch-probe-'));
  // A folder where the file should be can be neither read nor replaced, whoever asks.
  const path = join(folder, 'is-a-folder');
  mkdirSync(path);
  writeFileSync(join(path, 'in-use'), '');
  expect(probeBoot(worker(path)).previous_record_found).toBe(false);
  expect(probeBoot(worker(path)).previous_record_found).toBe(false);
  expect(probeBoot(worker(join(folder, 'missing', 'state.json'))).previous_record_found).toBe(false);
  expect(probeBoot(worker('/proc/macbatch-cannot-be-here')).previous_record_found).toBe(false);
});

it('B2: a lock that a dead program left does not keep the others waiting for ever', () => {
  const path = statePath();
  mkdirSync(`${path}.lock`);
  chmodSync(`${path}.lock`, 0o700);
  expect(probeBoot(worker(path)).previous_record_found).toBe(false);
  expect(probeBoot(worker(path)).previous_record_found).toBe(true);
});
