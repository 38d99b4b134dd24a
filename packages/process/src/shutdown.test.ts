import { fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { aborted, shutdownSignals } from './shutdown.ts';

const program = fileURLToPath(new URL('./host.fixture.ts', import.meta.url));

/** Starts a real process. `nextEvent` reads its log line by line. */
async function started() {
  const child = fork(program, [], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  if (child.stdout === null) throw new Error('the program has no output');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextEvent = async () => {
    const { event, reason } = JSON.parse(String((await lines.next()).value)) as Record<string, string>;
    return reason === undefined ? event : `${event}: ${reason}`;
  };
  expect(await nextEvent()).toBe('program.started');
  return { child, nextEvent, exited: once(child, 'exit') };
}

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'W7: requests shutdown at the first %s and forces it at the second',
  async (signal) => {
    const { child, nextEvent, exited } = await started();
    child.kill(signal);
    expect(await nextEvent()).toBe(`end.requested: ${signal}`);
    child.kill(signal);
    expect(await nextEvent()).toBe(`end.forced: ${signal} during shutdown`);
    expect(await exited).toEqual([0, null]);
  },
);

it('W7: forces shutdown when the second signal differs from the first', async () => {
  const { child, nextEvent, exited } = await started();
  child.kill('SIGINT');
  expect(await nextEvent()).toBe('end.requested: SIGINT');
  child.kill('SIGTERM');
  expect(await nextEvent()).toBe('end.forced: SIGTERM during shutdown');
  expect(await exited).toEqual([0, null]);
});

it('W7: requests shutdown when the parent has exited, and forces it at a signal after that', async () => {
  const { child, nextEvent, exited } = await started();
  child.disconnect();
  expect(await nextEvent()).toBe('end.requested: the parent process has exited');
  child.kill('SIGTERM');
  expect(await nextEvent()).toBe('end.forced: SIGTERM during shutdown');
  expect(await exited).toEqual([0, null]);
});

it('W7: does not force shutdown when the parent exits after a signal', () => {
  const host = new EventEmitter();
  const { shutdownRequested, forceQuit } = shutdownSignals(host);
  host.emit('SIGTERM');
  host.emit('disconnect');
  expect([shutdownRequested.aborted, forceQuit.aborted]).toEqual([true, false]);
  expect(shutdownRequested.reason).toMatchObject({ message: 'SIGTERM' });
});

it('resolves when the signal aborts, or immediately if it already has', async () => {
  await aborted(AbortSignal.abort());
  const controller = new AbortController();
  const waiting = aborted(controller.signal);
  controller.abort();
  await waiting;
});
