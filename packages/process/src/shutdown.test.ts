import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { aborted, shutdownSignals } from './shutdown.ts';

const program = fileURLToPath(new URL('./host.fixture.ts', import.meta.url));

/** A real process, with what it says line by line. */
async function started() {
  const child = fork(program, [], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  if (child.stdout === null) throw new Error('the program has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async () => {
    const { event, reason } = JSON.parse(String((await lines.next()).value)) as Record<string, string>;
    return reason === undefined ? event : `${event}: ${reason}`;
  };
  expect(await said()).toBe('program.started');
  return { child, said, exited: once(child, 'exit') };
}

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'W7: the first %s asks, the second insists',
  async (signal) => {
    const { child, said, exited } = await started();
    child.kill(signal);
    expect(await said()).toBe(`end.asked: ${signal}`);
    child.kill(signal);
    expect(await said()).toBe(`end.insisted: ${signal} again`);
    expect(await exited).toEqual([0, null]);
  },
);

it('W7: another signal insists as well', async () => {
  const { child, said, exited } = await started();
  child.kill('SIGINT');
  expect(await said()).toBe('end.asked: SIGINT');
  child.kill('SIGTERM');
  expect(await said()).toBe('end.insisted: SIGTERM again');
  expect(await exited).toEqual([0, null]);
});

it('a parent that has gone asks, and a signal then insists', async () => {
  const { child, said, exited } = await started();
  child.disconnect();
  expect(await said()).toBe('end.asked: the parent process has gone');
  child.kill('SIGTERM');
  expect(await said()).toBe('end.insisted: SIGTERM again');
  expect(await exited).toEqual([0, null]);
});

it('a parent that goes after a signal does not insist', () => {
  const host = new EventEmitter();
  const { asked, insisted } = shutdownSignals(host);
  host.emit('SIGTERM');
  host.emit('disconnect');
  expect([asked.aborted, insisted.aborted]).toEqual([true, false]);
  expect(asked.reason).toMatchObject({ message: 'SIGTERM' });
});

it('waiting for an end that has come ends at once', async () => {
  await aborted(AbortSignal.abort());
  const controller = new AbortController();
  const waiting = aborted(controller.signal);
  controller.abort();
  await waiting;
});
