import { expect, it } from 'vitest';
import { describeStep } from '../testing/describe-step.ts';
import { from } from '../testing/worker-fixture.ts';
import { EVENTS, STATES, timeOf } from '../testing/worker-states.ts';

/** The effect of an event in every state that the table below does not list. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  'heartbeat failed': 'a heartbeat missed',
  'heartbeat failed: id in use': 'no longer admitted',
  'outbox full': 'outbox full',
  'model swapped': 'heartbeat',
};

/**
 * What each event makes of each state. Tasks 7 and 8 have items 7a, 7b, …; the worker has two slots. Pairs that
 * are in neither table change nothing.
 */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'not yet admitted': {
    'lease 8': 'hold 8, start 8a, start 8b',
    'heartbeat answered': 'admitted, read the outbox',
    'answered: 7 lost': 'admitted, read the outbox',
    'answered: 7 cancelled': 'admitted, read the outbox',
    'answered: 7b recorded elsewhere': 'admitted, read the outbox',
    'heartbeat failed: id in use': 'nothing',
    'heartbeat answered a minute later': 'admitted, read the outbox',
    'paused by a rule': 'stop asking, heartbeat',
    drain: 'work ended',
  },
  'restarted, former boots unreleased': {
    'lease 8': 'hold 8, start 8a, start 8b',
    'heartbeat failed: id in use': 'nothing',
    'outbox read: empty': 'heartbeat',
    'paused by a rule': 'stop asking, heartbeat',
    drain: 'work ended',
  },
  'recovering 6': {
    'lease 8': 'hold 8, start 8a, start 8b',
    'report due': 'send [6: 1; release 6]',
    'paused by a rule': 'stop asking, heartbeat',
    drain: 'work ended',
  },
  '6 being sent': {
    'lease 8': 'hold 8, report now, start 8a, start 8b',
    'heartbeat answered': 'report now',
    'answered: 7 lost': 'report now',
    'answered: 7 cancelled': 'report now',
    'answered: 7b recorded elsewhere': 'report now',
    'heartbeat answered a minute later': 'report now',
    'report accepted': 'heartbeat, ask for work',
    'report refused': 'heartbeat, ask for work',
    'report failed': 'report now',
    'paused by a rule': 'report now, stop asking, heartbeat',
    drain: 'report now, work ended',
  },
  idle: {
    'lease 8': 'hold 8, start 8a, start 8b',
    'paused by a rule': 'stop asking, heartbeat',
    drain: 'work ended',
  },
  'idle, outbox full': {
    'lease 8': 'hold 8, start 8a, start 8b',
    'outbox full': 'nothing',
    'outbox writable': 'outbox writable, ask for work',
    'paused by a rule': 'stop asking, heartbeat',
    drain: 'work ended',
  },
  'chat withdrawn': {
    'lease 8': 'hold 8, start 8a, start 8b',
    'heartbeat answered a minute later': 'probe chat',
    'paused by a rule': 'stop asking, heartbeat',
    drain: 'work ended',
  },
  'chat being probed': {
    'lease 8': 'hold 8, start 8a, start 8b',
    'probe: chat works': 'offer chat, ask for work, heartbeat',
    'probe: chat fails': 'withdraw chat',
    'paused by a rule': 'stop asking, heartbeat',
    drain: 'work ended',
  },
  'runs 7a 7b, 7c waits': {
    'lease 8': 'hold 8',
    'answered: 7 lost': '7 lost, 7 closed, 7 handed back, ask for work',
    'answered: 7 cancelled': '7 lost, 7 closed, 7 handed back, abort 7a, abort 7b, ask for work',
    'answered: 7b recorded elsewhere': 'skip 7b, abort 7b',
    'item ok': 'save 7a',
    'item failed': 'retry 7a, start 7c',
    'item rejected': 'retry 7a, start 7c',
    'item not here': 'withdraw chat, 7 closed, 7 handed back, ask for work, heartbeat',
    'item crashed': 'suspect 7a, heartbeat',
    'item aborted': '7 handed back, start 7c, ask for work',
    'paused by a rule':
      '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now, stop asking, heartbeat',
    drain: '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now',
    'grace time over': 'abort 7a, abort 7b',
    'force quit': 'abort 7a, abort 7b',
  },
  'runs 7a 7b': {
    'lease 8': 'hold 8',
    'answered: 7 lost': '7 lost, 7 closed',
    'answered: 7 cancelled': '7 lost, 7 closed, abort 7a, abort 7b',
    'answered: 7b recorded elsewhere': 'skip 7b, abort 7b',
    'item ok': 'save 7a',
    'item failed': 'retry 7a',
    'item rejected': 'retry 7a',
    'item not here': 'withdraw chat, 7 closed, 7 handed back, heartbeat',
    'item crashed': 'suspect 7a, heartbeat',
    'item aborted': '7 handed back',
    'paused by a rule': '7 closed, stop asking, heartbeat',
    drain: '7 closed',
    'grace time over': 'abort 7a, abort 7b',
    'force quit': 'abort 7a, abort 7b',
  },
  'probes with 7a, whose server rejects all': {
    'lease 8': 'hold 8',
    'answered: 7 lost': '7 lost, 7 closed, 7 handed back, ask for work',
    'answered: 7 cancelled': '7 lost, 7 closed, 7 handed back, abort 7a, ask for work',
    'answered: 7b recorded elsewhere': 'skip 7b',
    'item ok': 'save 7a, ask for work, heartbeat',
    'item failed': 'retry 7a, ask for work',
    'item rejected': 'retry 7a, ask for work',
    'item not here': 'withdraw chat, 7 closed, 7 handed back, queue 7, report now, ask for work, heartbeat',
    'item crashed': 'suspect 7a, heartbeat, ask for work',
    'item aborted': '7 handed back, ask for work',
    'paused by a rule':
      '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now, stop asking, heartbeat',
    drain: '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now',
    'grace time over': 'abort 7a',
    'force quit': 'abort 7a',
  },
  'saves 7a, runs 7b, 7c waits': {
    'lease 8': 'hold 8',
    'answered: 7 lost': '7 lost, 7 closed, 7 handed back, ask for work',
    'answered: 7 cancelled': '7 lost, 7 closed, 7 handed back, abort 7b, ask for work',
    'answered: 7b recorded elsewhere': 'skip 7b, abort 7b',
    'item ok': 'save 7b',
    'item failed': 'retry 7b, start 7c',
    'item rejected': 'save 7b',
    'item not here': 'withdraw chat, 7 closed, 7 handed back, ask for work, heartbeat',
    'item crashed': 'suspect 7b, heartbeat',
    'item aborted': '7 handed back, start 7c, ask for work',
    'outcome saved': 'outcome of 7a, note 7, report now, start 7c, ask for work',
    'outcome saved after a sleep': '7 possibly expired, outcome of 7a, note 7, report in 10 s, heartbeat',
    'paused by a rule':
      '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now, stop asking, heartbeat',
    drain: '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now',
    'grace time over': 'abort 7b',
    'force quit': 'abort 7b',
  },
  '7a done, runs 7b 7c': {
    'lease 8': 'hold 8',
    'answered: 7 lost': '7 lost, 7 closed',
    'answered: 7 cancelled': '7 lost, 7 closed, abort 7b, abort 7c',
    'answered: 7b recorded elsewhere': 'skip 7b, abort 7b',
    'item ok': 'save 7b',
    'item failed': 'retry 7b',
    'item rejected': 'save 7b',
    'item not here': 'withdraw chat, 7 closed, 7 handed back, heartbeat',
    'item crashed': 'suspect 7b, heartbeat',
    'item aborted': '7 handed back',
    'report due': 'send [7: 1]',
    'paused by a rule': '7 closed, stop asking, heartbeat',
    drain: '7 closed',
    'grace time over': 'abort 7b, abort 7c',
    'force quit': 'abort 7b, abort 7c',
  },
  '7a being sent, runs 7b 7c': {
    'lease 8': 'hold 8',
    'answered: 7 lost': '7 lost, 7 closed',
    'answered: 7 cancelled': '7 lost, 7 closed, abort 7b, abort 7c',
    'answered: 7b recorded elsewhere': 'skip 7b, abort 7b',
    'item ok': 'save 7b',
    'item failed': 'retry 7b',
    'item rejected': 'save 7b',
    'item not here': 'withdraw chat, 7 closed, 7 handed back, heartbeat',
    'item crashed': 'suspect 7b, heartbeat',
    'item aborted': '7 handed back',
    'report accepted': '7 acknowledged up to 1',
    'report refused': '7 lost, 7 closed, 7 acknowledged up to 1, abort 7b, abort 7c',
    'report failed': 'note 7, report now',
    'paused by a rule': '7 closed, stop asking, heartbeat',
    drain: '7 closed',
    'grace time over': 'abort 7b, abort 7c',
    'force quit': 'abort 7b, abort 7c',
  },
  '7 being sent': {
    'lease 8': 'hold 8, report now, start 8a, start 8b',
    'heartbeat answered': 'report now',
    'answered: 7 lost': 'report now',
    'answered: 7 cancelled': 'report now',
    'answered: 7b recorded elsewhere': 'report now',
    'heartbeat answered a minute later': 'report now',
    'report accepted': 'forget 7',
    'report refused': 'forget 7',
    'report failed': 'report now',
    'paused by a rule': '7 closed, report now, stop asking, heartbeat',
    drain: '7 closed, report now, work ended',
  },
  'runs 7b, suspect 7a waits': {
    'lease 8': 'hold 8',
    'answered: 7 lost': '7 lost, 7 closed, 7 handed back, ask for work',
    'answered: 7 cancelled': '7 lost, 7 closed, 7 handed back, abort 7b, ask for work',
    'answered: 7b recorded elsewhere': 'skip 7b, abort 7b',
    'item ok': 'save 7b',
    'item failed': 'retry 7b, start 7a alone',
    'item rejected': 'retry 7b, start 7a alone',
    'item not here': 'withdraw chat, 7 closed, 7 handed back, queue 7, report now, ask for work, heartbeat',
    'item crashed': 'suspect 7b, heartbeat, start 7a alone',
    'item aborted': '7 handed back, start 7a alone',
    'paused by a rule':
      '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now, stop asking, heartbeat',
    drain: '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now',
    'grace time over': 'abort 7b',
    'force quit': 'abort 7b',
  },
  'runs suspect 7a alone, 7b waits': {
    'lease 8': 'hold 8',
    'answered: 7 lost': '7 lost, 7 closed, 7 handed back',
    'answered: 7 cancelled': '7 lost, 7 closed, 7 handed back, abort 7a',
    'answered: 7b recorded elsewhere': 'skip 7b',
    'item ok': 'save 7a',
    'item failed': 'start 7b alone',
    'item rejected': 'start 7b alone',
    'item not here': 'withdraw chat, 7 closed, 7 handed back, queue 7, report now, ask for work, heartbeat',
    'item crashed': 'heartbeat, start 7b alone',
    'item aborted': '7 handed back, start 7b alone',
    'paused by a rule':
      '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now, stop asking, heartbeat',
    drain: '7 lost, 7 closed, 7 handed back, queue the rest of 7, report now',
    'grace time over': 'abort 7a',
    'force quit': 'abort 7a',
  },
  '7 lost with 7a unreported, runs 7b': {
    'lease 8': 'hold 8, start 8a',
    'item ok': 'save 7b',
    'item failed': '7 handed back, queue 7',
    'item rejected': 'save 7b',
    'item not here': 'withdraw chat, 7 handed back, queue 7, heartbeat',
    'item crashed': '7 handed back, suspect 7b, queue 7',
    'item aborted': '7 handed back, queue 7',
    'report due': 'send [7: 1]',
    'grace time over': 'abort 7b',
    'force quit': 'abort 7b',
    'paused by a rule': 'stop asking, heartbeat',
  },
  'paused by a rule, runs 7a 7b': {
    'lease 8': 'hold 8, queue 8',
    'heartbeat answered a minute later': 'abort 7a, abort 7b',
    'item ok': 'save 7a',
    'item not here': 'withdraw chat, heartbeat',
    'item crashed': 'suspect 7a',
    'report due': 'send [release 7]',
    'own pause over': 'heartbeat, ask for work',
    'grace time over': 'abort 7a, abort 7b',
    'force quit': 'abort 7a, abort 7b',
  },
  'draining, runs 7a 7b': {
    'lease 8': 'hold 8, queue 8',
    'item ok': 'save 7a',
    'item not here': 'withdraw chat, heartbeat',
    'item crashed': 'suspect 7a',
    'report due': 'send [release 7]',
    'grace time over': 'abort 7a, abort 7b',
    'force quit': 'abort 7a, abort 7b',
    'paused by a rule': 'stop asking, heartbeat',
  },
};

const pairs = Object.entries(STATES).flatMap(([state, reach]) =>
  Object.entries(EVENTS).flatMap(([event, make]) => {
    const happening = make(reach());
    if (happening === null) return [];
    const expected = TABLE[state]?.[event] ?? EVERYWHERE[event] ?? 'nothing';
    return [{ state, event, reach, happening, expected }];
  }),
);

it.each(pairs)('$state + $event → $expected', ({ event, reach, happening, expected }) => {
  const { state } = reach();
  const now = timeOf(event);
  expect(describeStep(state, from(state).take(happening, now), now)).toBe(expected);
});

it('lists only pairs that can happen', () => {
  const possible = new Set(pairs.map(({ state, event }) => `${state} + ${event}`));
  const listed = Object.entries(TABLE).flatMap(([state, events]) =>
    Object.keys(events).map((event) => `${state} + ${event}`),
  );
  expect(listed.filter((pair) => !possible.has(pair))).toEqual([]);
});
