import { execFile } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { type BootProbe, type BootProbeOptions, probeBoot } from './boot-probe.ts';

const FIXTURE = fileURLToPath(new URL('boot-probe.fixture.ts', import.meta.url));

const statePath = () => join(mkdtempSync(join(tmpdir(), 'macbatch-probe-')), 'probe_state.json');
const worker = (path: string, name = 'mac-1'): BootProbeOptions => ({
  role: 'worker',
  name,
  path,
  startedAt: '2026-01-02T03:04:05.000Z',
});

it('B1: describes a boot: id, process, host, start, folder, and whether the temporary folder is writable', () => {
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

it('B1: finds the record of the first boot at the second', () => {
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

it('B2: keeps one record for each role and name in a shared file', () => {
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
  ['torn', '{"program":"worker:mac-1","record":{"boot_id":"x","pi'],
  ['not an object', '[1,2]'],
  ['of another shape', '{"program":"worker:mac-1","record":{"boot_id":7}}\n{"program":7}'],
  ['of a former release', '{"worker:mac-1":{"boot_id":"x"}}'],
  ['binary', '\u0000\u0001\ufffd'],
])('B2: treats a file that is %s as no record, and finds the new record at the next boot', (_, text) => {
  const path = statePath();
  writeFileSync(path, text);
  expect(probeBoot(worker(path)).previous_record_found).toBe(false);
  expect(probeBoot(worker(path)).previous_record_found).toBe(true);
});

it('B2: keeps the records of other programs when a line is torn', () => {
  const path = statePath();
  const two = probeBoot(worker(path, 'mac-2'));
  appendFileSync(path, '{"program":"worker:mac-1","record":{"boot_id":"x","pi');
  const three = probeBoot(worker(path, 'mac-3'));
  expect(three.previous_record_found).toBe(false);
  expect(probeBoot(worker(path, 'mac-1')).previous_record_found).toBe(false);
  expect(probeBoot(worker(path, 'mac-2')).previous_boot_id).toBe(two.boot.boot_id);
  expect(probeBoot(worker(path, 'mac-3')).previous_boot_id).toBe(three.boot.boot_id);
});

it('B2: keeps the records of programs that boot at the same time', async () => {
  const path = statePath();
  const names = Array.from({ length: 6 }, (_, n) => `mac-${n}`);
  const boots = await Promise.all(
    names.map(async (name) => {
      const { stdout } = await promisify(execFile)(process.execPath, [FIXTURE, path, name]);
      return (JSON.parse(stdout) as BootProbe).boot.boot_id;
    }),
  );
  expect(names.map((name) => probeBoot(worker(path, name)).previous_boot_id)).toEqual(boots);
});

it('B2: drops old records when the file has grown large, and keeps the last of each program', () => {
  const path = statePath();
  const other = probeBoot(worker(path, 'mac-2'));
  const old = { program: 'worker:mac-1', record: { boot_id: 'old' } };
  appendFileSync(path, `${JSON.stringify(old)}\n`.repeat(30_000));
  const { boot } = probeBoot(worker(path, 'mac-1'));
  expect(statSync(path).size).toBeLessThan(2000);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(probeBoot(worker(path, 'mac-1')).previous_boot_id).toBe(boot.boot_id);
  expect(probeBoot(worker(path, 'mac-2')).previous_boot_id).toBe(other.boot.boot_id);
});

it('B2: treats a file that cannot be read or written as no record, and does not stop', () => {
  const folder = mkdtempSync(join(tmpdir(), 'macbatch-probe-'));
  // A folder in the place of the file can be neither read nor replaced, not even by root.
  const path = join(folder, 'is-a-folder');
  mkdirSync(path);
  writeFileSync(join(path, 'in-use'), '');
  expect(probeBoot(worker(path)).previous_record_found).toBe(false);
  expect(probeBoot(worker(path)).previous_record_found).toBe(false);
  expect(probeBoot(worker(join(folder, 'missing', 'state.json'))).previous_record_found).toBe(false);
  expect(probeBoot(worker('/proc/macbatch-cannot-be-here')).previous_record_found).toBe(false);
});
