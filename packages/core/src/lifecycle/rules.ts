import type { TaskEventType } from './event.ts';
import { MAX_ATTEMPTS, MAX_EXPIRIES, MAX_EXPIRIES_FOR_COPIES } from './lease-terms.ts';
import {
  atLeast,
  atMost,
  below,
  type Condition,
  constant,
  event,
  is,
  isNot,
  later,
  minus,
  now,
  oneOf,
  plus,
  type Rule,
  task,
} from './rule.ts';
import type { TaskStatus } from './task.ts';

const inStatus = (...statuses: readonly TaskStatus[]): Condition => oneOf(task('status'), statuses);
const one = constant(1);

/** The event comes from the lease that holds now. */
const heldByReporter = [
  inStatus('leased'),
  is(task('attempts'), event('attempt')),
  is(task('assignedWorker'), event('worker')),
];

/** The event comes from a lease that was granted at some time, and no result is there yet. */
const resultWelcome = [
  inStatus('pending', 'leased', 'failed'),
  is(task('cancelled'), constant(false)),
  atLeast(event('attempt'), one),
  atLeast(task('attempts'), event('attempt')),
];

const overdue = [inStatus('leased'), atMost(task('leaseUntil'), now)];

const chargedAttempts = minus(minus(task('attempts'), task('returns')), task('retryBase'));

const unheld = { assignedWorker: constant(null), leaseUntil: constant(null) };
const backToPending = { status: constant('pending'), ...unheld };
const givenUp = { status: constant('failed'), ...unheld };
// A report of any kind shows that the leases do not only ever expire.
const signOfLife = { expiries: constant(0) };
const withError = { errors: plus(task('errors'), one), error: event('error'), ...signOfLife };
const withExpiry = { expiries: plus(task('expiries'), one) };
const withOutcomes = { outcomeCount: plus(task('outcomeCount'), event('recorded')) };

/** The error of a task whose leases only ever expired. */
export const EXPIRED_TOO_OFTEN = JSON.stringify({
  code: 'lease_expired_too_often',
  message: `${MAX_EXPIRIES} leases in a row expired without a report`,
});

const sentBack = {
  ...backToPending,
  outcomeCount: minus(task('outcomeCount'), event('reopened')),
  retryBase: minus(task('attempts'), task('returns')),
  errors: constant(0),
  expiries: constant(0),
  error: constant(null),
};

/**
 * The whole lifecycle. For each event the first rule whose `when` holds applies; where none holds the
 * event changes nothing. `decide` evaluates these values, the store compiles them to SQL, so no rule is
 * written twice.
 */
export const RULES: { readonly [Type in TaskEventType]: readonly Rule[] } = {
  lease: [
    {
      when: [inStatus('pending'), is(task('cancelled'), constant(false))],
      becomes: {
        status: constant('leased'),
        attempts: plus(task('attempts'), one),
        assignedWorker: event('worker'),
        leaseUntil: later(event('leaseMs')),
      },
    },
  ],
  renew: [
    {
      when: [...heldByReporter, is(task('cancelled'), constant(false))],
      becomes: { leaseUntil: later(event('leaseMs')) },
    },
  ],
  report: [
    {
      when: [...resultWelcome, atLeast(plus(task('outcomeCount'), event('recorded')), task('itemCount'))],
      becomes: {
        ...withOutcomes,
        ...signOfLife,
        status: constant('done'),
        assignedWorker: event('worker'),
        leaseUntil: constant(null),
        error: constant(null),
      },
    },
    {
      when: [...resultWelcome, atLeast(event('recorded'), one)],
      becomes: { ...withOutcomes, ...signOfLife },
    },
    { when: resultWelcome, becomes: withOutcomes },
  ],
  fail: [
    {
      when: [
        ...heldByReporter,
        is(task('retryOn'), constant('attempts')),
        below(chargedAttempts, constant(MAX_ATTEMPTS)),
      ],
      becomes: { ...backToPending, ...withError },
    },
    {
      when: [
        ...heldByReporter,
        is(task('retryOn'), constant('errors')),
        below(plus(task('errors'), one), constant(MAX_ATTEMPTS)),
      ],
      becomes: { ...backToPending, ...withError },
    },
    { when: heldByReporter, becomes: { ...givenUp, ...withError } },
  ],
  release: [{ when: heldByReporter, becomes: { ...backToPending, returns: plus(task('returns'), one) } }],
  expire: [
    {
      when: [...overdue, below(plus(task('expiries'), one), constant(MAX_EXPIRIES))],
      becomes: { ...backToPending, ...withExpiry },
    },
    { when: overdue, becomes: { ...givenUp, ...withExpiry, error: constant(EXPIRED_TOO_OFTEN) } },
  ],
  copy: [
    {
      when: [
        inStatus('leased'),
        is(task('cancelled'), constant(false)),
        isNot(task('assignedWorker'), event('worker')),
        below(task('expiries'), constant(MAX_EXPIRIES_FOR_COPIES)),
      ],
      becomes: {},
    },
  ],
  // Counted like a lost lease, so that copies can't hide what an item does to those that run it.
  lose_copy: [
    {
      when: [inStatus('pending', 'leased'), below(plus(task('expiries'), one), constant(MAX_EXPIRIES))],
      becomes: withExpiry,
    },
  ],
  retry: [
    { when: [inStatus('failed'), is(task('cancelled'), constant(false))], becomes: sentBack },
    {
      when: [
        inStatus('done', 'pending'),
        is(task('cancelled'), constant(false)),
        atLeast(event('reopened'), one),
      ],
      becomes: sentBack,
    },
  ],
  // A done task stays as it is. A leased one stays with its holder, who learns of it at the next renewal.
  cancel: [
    {
      when: [inStatus('pending', 'leased', 'failed'), is(task('cancelled'), constant(false))],
      becomes: { cancelled: constant(true) },
    },
  ],
};
