import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@macbatch/client';
import { testFolder } from '@macbatch/testing';
import { expect, it, onTestFinished } from 'vitest';
import { jsonLines, start } from './testing/program.ts';

/** Mounts a small disk on a folder. Returns false if this machine does not allow it. */
function mountDisk(folder: string, megabytes: number): boolean {
  const mounted =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]).status === 0;
  if (mounted) onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return mounted;
}

/** Writes a file until the disk has no space for another page. */
async function fillDisk(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const size of [1024 * 1024, 4096]) {
      const block = Buffer.alloc(size, 1);
      while (
        await file.write(block).then(
          ({ bytesWritten }) => bytesWritten === size,
          () => false,
        )
      );
    }
  } finally {
    await file.close();
  }
}

/** Yields the lines of a job of no-op items with payloads of a kilobyte. */
async function* heavyJob(items: number): AsyncGenerator<string> {
  yield JSON.stringify({ job_type: 'noop', model: 'noop' });
  const filler = 'x'.repeat(1000);
  for (let n = 0; n < items; n += 1) yield JSON.stringify({ id: `i${n}`, payload: filler });
}

it('answers 507 when the disk of the embedded database is full, and before it is full if possible', async ({
  skip,
}) => {
  const folder = testFolder();
  if (!mountDisk(folder, 200)) skip('needs permission to mount a small disk: run it as root on Linux');
  const control = start('control', [], {
    env: {
      MACBATCH_DATA_DIR: join(folder, 'postgres'),
      MACBATCH_PORT: '0',
      MACBATCH_MIN_FREE_MB: '60',
      PROBE_STATE: join(testFolder(), 'probe.json'),
    },
  });
  const url = String((await control.event('control.listening'))['url']);
  const client = new Client({ baseUrl: url, retries: 0 });
  const { job } = await client.submit(() => heavyJob(100));

  const filler = join(folder, 'filler');
  await fillDisk(filler);
  await expect(client.submit(() => heavyJob(100))).rejects.toMatchObject({
    code: 'database_full',
    status: 507,
  });
  expect((await client.call('readJob', { params: { id: job.id } })).items).toMatchObject({
    total: 100,
    open: 100,
  });
  rmSync(filler);
  expect((await client.submit(() => heavyJob(100))).created).toBe(true);

  // The space is checked while a submission arrives, so the server never uses its last page.
  const tooMuch = client.submit(() => heavyJob(200_000));
  await expect(tooMuch).rejects.toMatchObject({ code: 'database_full', status: 507 });
  expect(control.stdout()).not.toContain('control.failed');
});

it('ends the control plane with a reason when its embedded database ends', async () => {
  const folder = testFolder();
  const env = {
    MACBATCH_DATA_DIR: join(folder, 'postgres'),
    MACBATCH_PORT: '0',
    PROBE_STATE: join(folder, 'probe'),
  };
  const control = start('control', [], { env });
  await control.event('control.listening');
  const [pid] = readFileSync(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
  expect((await control.ended).exit).toBe(1);
  const failed = jsonLines(control.stdout()).find((line) => line['event'] === 'control.failed');
  expect(failed?.['error']).toMatch(/The embedded Postgres .*(SIGKILL|killed).*Its log ends:/s);
});
