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
const notCancelled = is(task('cancelled'), constant(false));

/** The event comes from the current lease. */
const fromHolder = [
  inStatus('leased'),
  is(task('attempts'), event('attempt')),
  is(task('assignedWorker'), event('worker')),
];

/** The event comes from a lease that was granted at some time, and the task has no result yet. */
const fromAnyLease = [
  inStatus('pending', 'leased', 'failed'),
  notCancelled,
  atLeast(event('attempt'), one),
  atLeast(task('attempts'), event('attempt')),
];

/** The event comes from the lease that has expired last, and nothing has happened to the task since. */
const fromLapsed = [
  inStatus('pending'),
  notCancelled,
  // During an upgrade, an older control plane grants leases without clearing the lapse.
  is(task('attempts'), event('attempt')),
  is(task('lapsedAttempt'), event('attempt')),
  is(task('lapsedWorker'), event('worker')),
];

const overdue = [inStatus('leased'), atMost(task('leaseUntil'), now)];

const chargedAttempts = minus(minus(task('attempts'), task('returns')), task('retryBase'));

const withoutHolder = { assignedWorker: constant(null), leaseUntil: constant(null) };
const withoutLapse = {
  lapsedWorker: constant(null),
  lapsedBoot: constant(null),
  lapsedAttempt: constant(null),
};
const lapse = {
  lapsedWorker: task('assignedWorker'),
  lapsedBoot: event('boot'),
  lapsedAttempt: task('attempts'),
};
const toPending = { status: constant('pending'), ...withoutHolder, ...withoutLapse };
const toFailed = { status: constant('failed'), ...withoutHolder, ...withoutLapse };
const toLeased = {
  status: constant('leased'),
  assignedWorker: event('worker'),
  leaseUntil: later(event('leaseMs')),
  ...withoutLapse,
};
// Any report ends a run of expiries.
const withoutExpiries = { expiries: constant(0) };
const withError = { errors: plus(task('errors'), one), error: event('error'), ...withoutExpiries };
const withExpiry = { expiries: plus(task('expiries'), one) };
const withOutcomes = { outcomeCount: plus(task('outcomeCount'), event('recorded')) };

/** The error of a task that failed by rule T11. */
export const EXPIRED_TOO_OFTEN = JSON.stringify({
  code: 'lease_expired_too_often',
  message: `${MAX_EXPIRIES} leases in a row expired, and no report was accepted in between: see the log of the workers`,
});

const retried = {
  ...toPending,
  outcomeCount: minus(task('outcomeCount'), event('reopened')),
  retryBase: minus(task('attempts'), task('returns')),
  errors: constant(0),
  expiries: constant(0),
  error: constant(null),
};

/**
 * The whole lifecycle of a task. The first rule of an event whose conditions all hold applies. If none applies, the
 * event changes nothing. `decide` evaluates these values and the store compiles them to SQL, so no rule is
 * written twice.
 */
export const RULES: { readonly [Type in TaskEventType]: readonly Rule[] } = {
  lease: [
    {
      when: [inStatus('pending'), notCancelled],
      becomes: {
        ...toLeased,
        attempts: plus(task('attempts'), one),
      },
    },
  ],
  renew: [
    {
      when: [...fromHolder, notCancelled],
      becomes: { leaseUntil: later(event('leaseMs')) },
    },
    // T14: resumes the lapsed lease. Its expiry no longer counts, unless a report has reset the count before.
    {
      when: [...fromLapsed, is(task('lapsedBoot'), event('boot')), atLeast(task('expiries'), one)],
      becomes: { ...toLeased, expiries: minus(task('expiries'), one) },
    },
    { when: [...fromLapsed, is(task('lapsedBoot'), event('boot'))], becomes: toLeased },
  ],
  report: [
    {
      when: [...fromAnyLease, atLeast(plus(task('outcomeCount'), event('recorded')), task('itemCount'))],
      becomes: {
        ...withOutcomes,
        ...withoutExpiries,
        ...withoutLapse,
        status: constant('done'),
        assignedWorker: event('worker'),
        leaseUntil: constant(null),
        error: constant(null),
      },
    },
    {
      when: [...fromAnyLease, atLeast(event('recorded'), one)],
      becomes: { ...withOutcomes, ...withoutExpiries },
    },
    { when: fromAnyLease, becomes: withOutcomes },
  ],
  // T10: only the holder, and the last holder of a lapsed lease, may end an item with an error. A report names no boot.
  item_error: [
    { when: [...fromHolder, notCancelled], becomes: {} },
    { when: fromLapsed, becomes: {} },
  ],
  fail: [
    {
      when: [
        ...fromHolder,
        is(task('retryOn'), constant('attempts')),
        below(chargedAttempts, constant(MAX_ATTEMPTS)),
      ],
      becomes: { ...toPending, ...withError },
    },
    {
      when: [
        ...fromHolder,
        is(task('retryOn'), constant('errors')),
        below(plus(task('errors'), one), constant(MAX_ATTEMPTS)),
      ],
      becomes: { ...toPending, ...withError },
    },
    // T6: no attempt is left.
    { when: fromHolder, becomes: { ...toFailed, ...withError } },
  ],
  release: [{ when: fromHolder, becomes: { ...toPending, returns: plus(task('returns'), one) } }],
  expire: [
    {
      when: [...overdue, below(plus(task('expiries'), one), constant(MAX_EXPIRIES))],
      becomes: { ...toPending, ...withExpiry, ...lapse },
    },
    { when: overdue, becomes: { ...toFailed, ...withExpiry, error: constant(EXPIRED_TOO_OFTEN) } },
  ],
  copy: [
    {
      when: [
        inStatus('leased'),
        notCancelled,
        isNot(task('assignedWorker'), event('worker')),
        below(task('expiries'), constant(MAX_EXPIRIES_FOR_COPIES)),
      ],
      becomes: {},
    },
  ],
  // Counts like a lost lease: otherwise copies would hide an item that crashes its workers.
  lose_copy: [
    {
      when: [inStatus('pending', 'leased'), below(plus(task('expiries'), one), constant(MAX_EXPIRIES))],
      becomes: withExpiry,
    },
  ],
  retry: [
    { when: [inStatus('failed'), notCancelled], becomes: retried },
    {
      when: [inStatus('done', 'pending'), notCancelled, atLeast(event('reopened'), one)],
      becomes: retried,
    },
  ],
  // Does not change a done task. A leased task stays with its holder, and the reply to its next renewal says so.
  cancel: [
    {
      when: [inStatus('pending', 'leased', 'failed'), notCancelled],
      becomes: { cancelled: constant(true), ...withoutLapse },
    },
  ],
};
