import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const index = new URL('./index.ts', import.meta.url).href;

/** Runs a program and answers what it writes. */
function written(program: string): string {
  const source = `import { createLog } from '${index}'; ${program}`;
  return execFileSync(process.execPath, ['--input-type=module-typescript', '-e', source], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    encoding: 'utf8',
  });
}

it('B3: writes each event as one line of JSON with its time, program and fields', () => {
  const output = written(`
    const log = createLog('worker');
    log('task.leased', { task_id: '7', text: 'two\\nlines \\u2028 "quoted" \\u0000', list: [1, null] });
    log('worker.stopped');`);
  const lines = output.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      program: 'worker',
      event: 'task.leased',
      task_id: '7',
      text: 'two\nlines \u2028 "quoted" \u0000',
      list: [1, null],
    },
    expect.objectContaining({ program: 'worker', event: 'worker.stopped' }),
  ]);
});

it('logs troubles of model servers and of the control plane as warnings', () => {
  const output = written(`
    const log = createLog('worker');
    for (const event of ['endpoint.waits', 'heartbeat.failed']) log(event, { reason: 'no answer' });`);
  const lines = output.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'warn', event: 'endpoint.waits' },
    { level: 'warn', event: 'heartbeat.failed' },
  ]);
});

it('B3: loses no line when the program exits immediately', () => {
  const output = written(`
    const log = createLog('worker');
    for (let n = 0; n < 2000; n += 1) log('line.written', { n });
    process.exit(0);`);
  const numbers = output
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { n: number }).n);
  expect(numbers).toEqual(Array.from({ length: 2000 }, (_, n) => n));
});

it('hides keys that a field quotes', () => {
  const key = `mbk_0123456789abcdef_${'x'.repeat(43)}`;
  expect(written(`createLog('worker')('lease.failed', { reason: 'bad gateway for ${key}' });`)).toContain(
    'bad gateway for mbk_0123456789abcdef_[secret]"',
  );
});
