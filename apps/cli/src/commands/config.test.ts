import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '@macbatch/testing';
import { expect, it } from 'vitest';
import { programEnv } from '../options/program-env.ts';
import { runInProcess } from '../testing/run-in-process.ts';

/** Creates a home folder with a configuration file. */
function homeWith(text: string): string {
  const home = testFolder();
  mkdirSync(join(home, '.macbatch'));
  writeFileSync(join(home, '.macbatch', 'config.toml'), text);
  return home;
}

it('config show: prints each value and what set it', async () => {
  const cwd = homeWith(
    '[client]\nurl = "http://127.0.0.1:9"\nca_file = "~/ca.pem"\n[worker]\nconcurrency = 4\n',
  );
  const { code, stdout } = await runInProcess(['config', 'show'], {
    cwd,
    env: { MACBATCH_CONCURRENCY: '2' },
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/\[client\] url +http:\/\/127\.0\.0\.1:9 +file/);
  expect(stdout).toContain(join(cwd, 'ca.pem'));
  expect(stdout).toMatch(/\[worker\] concurrency +2 +MACBATCH_CONCURRENCY/);
  expect(stdout).toMatch(/\[worker\] heartbeat_seconds +30 +default/);
  expect(stdout).toMatch(/\[worker\] use_lite +true +default/);
});

it('run: uses the model servers of the [worker] section', async () => {
  const endpoint = '[[worker.endpoints]]\nurl = "ftp://h"\nmodels = { m = "m" }\n';
  const cwd = homeWith(endpoint);
  const args = ['run', 'missing.jsonl', '--type', 'chat', '--model', 'm'];
  expect((await runInProcess(args, { cwd })).stderr).toMatch(/missing\.jsonl/);
  expect(programEnv(['node', 'macbatch', 'run'], { HOME: cwd })).toMatchObject({
    MACBATCH_ENDPOINTS: '[{"url":"ftp://h","models":{"m":"m"}}]',
  });
});

it('config show: reads a key’s file only by name, and shows no key', async () => {
  const { stdout } = await runInProcess(['config', 'show', '--json'], {
    cwd: homeWith(''),
    env: { MACBATCH_KEY: 'mbk_s3cret' },
  });
  expect(stdout).toContain('key_file');
  expect(stdout).not.toContain('s3cret');
});

it('commands call the URL of the file unless an option or a variable names another', async () => {
  const cwd = homeWith('[client]\nurl = "http://127.0.0.1:9/file"\n');
  const { code, stderr } = await runInProcess(['jobs'], { cwd });
  expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('127.0.0.1:9/file') });
  const env = { MACBATCH_URL: 'http://127.0.0.1:9/variable' };
  expect((await runInProcess(['jobs'], { cwd, env })).stderr).toContain('127.0.0.1:9/variable');
  expect((await runInProcess(['jobs', '--url', 'http://127.0.0.1:9/option'], { cwd, env })).stderr).toContain(
    '127.0.0.1:9/option',
  );
});

it('commands refuse a wrong file with exit code 2 and name it, and help still works', async () => {
  const cwd = homeWith('[client]\nulr = "x"\n');
  for (const args of [['jobs'], ['config', 'show']]) {
    const { code, stderr } = await runInProcess(args, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(join(cwd, '.macbatch', 'config.toml'));
    expect(stderr).toContain('[client] ulr: is no setting; did you mean url?');
  }
  expect(await runInProcess(['--help'], { cwd })).toMatchObject({ code: 0 });
  expect(await runInProcess(['config', 'path'], { cwd })).toMatchObject({ code: 0 });
});

it('commands refuse a missing file that MACBATCH_CONFIG names', async () => {
  const { code, stderr } = await runInProcess(['jobs'], {
    cwd: testFolder(),
    env: { MACBATCH_CONFIG: '/nowhere/c.toml' },
  });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('/nowhere/c.toml') });
});
