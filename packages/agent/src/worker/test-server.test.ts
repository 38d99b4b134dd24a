import { expect, it } from 'vitest';
import { answered, failing, SimulatedTime, simulate } from '../testing/simulated-pool.ts';

/** Runs three items on a server that fails the last one in this way each time. */
function runWith(failure: 'interrupted' | 'transient', { recoversAt = 0, answersTests = true } = {}) {
  const time = new SimulatedTime();
  const starts: string[] = [];
  const server = {
    call({ itemId, end }: Parameters<Parameters<typeof simulate>[1]['call']>[0]) {
      starts.push(itemId);
      const isDown = itemId === 'test' ? !answersTests : itemId === '1c';
      time.after(50, () =>
        end(
          isDown && (recoversAt === 0 || time.now < recoversAt)
            ? failing(failure, 'request_failed')
            : answered(itemId),
        ),
      );
    },
  };
  return { ...simulate(time, server, [3], { slots: 2 }), sent: starts };
}

it('ends the last item, which breaks its connection each time, within seconds if its server passes a test', () => {
  const { outcomes, calls, endedAt, sent } = runWith('interrupted');
  expect(outcomes.get('1c')).toMatchObject({ error: { code: 'request_failed' } });
  expect(calls.get('1c')).toBeLessThanOrEqual(4);
  expect(sent.filter((id) => id === 'test').length).toBeLessThanOrEqual(3);
  expect(endedAt).toBeLessThan(15_000);
});

it('T6: fails the last item of a server that passes tests within a minute after server errors', () => {
  const { outcomes, taskErrors, endedAt } = runWith('transient');
  expect([outcomes.has('1c'), taskErrors.length]).toEqual([false, 3]);
  expect(endedAt).toBeLessThan(60_000);
});

it('waits for a server that fails its tests, and records the item when it works again', () => {
  const { outcomes, charged } = runWith('interrupted', { recoversAt: 100_000, answersTests: false });
  expect(outcomes.get('1c')).toHaveProperty('output');
  expect(charged).toBe(1);
});

it('ends a few items of a server that completes no answer when its patience is over, with few calls', () => {
  const time = new SimulatedTime();
  const server = {
    call: ({ end }: { end: (ended: ReturnType<typeof answered>) => void }) =>
      time.after(50, () => end(failing('transient', 'incomplete_answer'))),
  };
  const { isOver, endedAt, calls } = simulate(time, server, [2], { slots: 2 });
  expect(isOver).toBe(true);
  expect(endedAt).toBeLessThan(160_000);
  expect(Math.max(...calls.values())).toBeLessThanOrEqual(9);
});
