import { abandonedCount, BROKEN_AFTER_ITEMS, type Lane, laneFailed } from './lane.ts';
import type { Pauses } from './pauses.ts';
import type { Verdict } from './verdict.ts';

/** Failures of one item, for any reason that may be the item's, before they are held against it. */
const MAX_TRIES = 3;
/** Time-outs of one item alone, on a server that has answered no other item, before other items get their turn. */
const MAX_TIMEOUTS_ALONE = 8;
/** An item that failed this often while others ran runs alone on its endpoint next. */
const ALONE_AFTER_TRIES = 2;
/** Pauses before the next try grow by this factor while nothing shows who is to blame. */
const PAUSE_FACTOR = 4;

/** The failed runs of one item on one runtime. */
export interface ItemRecord {
  /** Task and item: item ids are unique within a job only. */
  readonly name: string;
  readonly tries: number;
  /** Tries while nothing else ran on the runtime. */
  readonly triesAlone: number;
  /** Overloads while nothing else ran on the runtime, and nothing that was given up can have kept it busy. */
  readonly overloadsAlone: number;
  /**
   * Failures of this item while the server worked: between two of them it answered another request, or a later request
   * was answered while this one timed out.
   */
  readonly failuresOfWorkingServer: number;
  /** The server has rejected it. */
  readonly isRejected: boolean;
  /** Null while other items caused each failure, as far as the worker can tell. */
  readonly firstFailedAt: number | null;
  /** The highest number of a run at the last failure. Answers to these runs say nothing about the server since then. */
  readonly startedAtFailure: number;
  /** Other items may have caused the last failure. An answer after it then does not show that this item is to blame. */
  readonly othersMayBeToBlame: boolean;
  /** The earliest time of the next run. */
  readonly notBefore: number;
  /** No other item may run on the runtime during its next run. */
  readonly alone: boolean;
}

/** A failed run, as far as it matters for who is to blame. */
export interface FailedRun {
  readonly name: string;
  readonly number: number;
  /** How many requests the model had answered when this run started. */
  readonly answeredBefore: number;
  /** Nothing else ran on the runtime while it ran. */
  readonly alone: boolean;
}

export type Blamed = 'transient' | 'interrupted' | 'overload' | 'timeout' | 'not_here';

export interface Judgement {
  readonly verdict: Verdict;
  readonly record: ItemRecord;
  readonly lane: Lane;
}

/**
 * Decides who is to blame for a failed run. A server that answers other items between the failures of this one works,
 * so the item is to blame. If several items fail without an answer between them, it is the server.
 */
export function judgeRun(
  failure: { readonly kind: Blamed; readonly bytesArrived: boolean },
  run: FailedRun,
  before: ItemRecord | null,
  lane: Lane,
  at: {
    readonly now: number;
    readonly jitter: number;
    readonly pauses: Pauses;
    /** The highest number of a run on any runtime so far. */
    readonly lastStarted: number;
  },
): Judgement {
  const { now, pauses } = at;
  // A broken connection or an overload while other items ran does not show a broken server: one of the items may have
  // caused it.
  const counts = failure.kind === 'transient' || failure.kind === 'not_here' || run.alone;
  // A server may go on with a request that was given up, for longer than anybody knows.
  const isKeptBusy = abandonedCount(lane, now - pauses.lonePatienceMs) > 0;
  const mayBeOwn = failure.kind !== 'overload' && (counts || lane.lastAnswered > run.number);
  const isOwn = mayBeOwn && counts && !(failure.kind === 'timeout' && isKeptBusy);
  const isOverloadAlone = failure.kind === 'overload' && run.alone && !isKeptBusy;
  // An answer to an earlier request does not count: the trouble may have begun after the server had accepted it.
  const answered = lane.lastAnswered > (before?.startedAtFailure ?? run.number);
  const answeredSince = isOwn && before?.othersMayBeToBlame !== true && answered;
  const wasServerWorking =
    failure.kind === 'timeout' ? lane.lastAnswered > run.number || (isOwn && answered) : answeredSince;
  const counted: ItemRecord = {
    name: run.name,
    tries: (before?.tries ?? 0) + 1,
    triesAlone: (before?.triesAlone ?? 0) + (run.alone ? 1 : 0),
    overloadsAlone: (before?.overloadsAlone ?? 0) + (isOverloadAlone ? 1 : 0),
    failuresOfWorkingServer: (before?.failuresOfWorkingServer ?? 0) + (wasServerWorking ? 1 : 0),
    isRejected: before?.isRejected ?? false,
    firstFailedAt: before?.firstFailedAt ?? (mayBeOwn ? now : null),
    startedAtFailure: at.lastStarted,
    othersMayBeToBlame: !isOwn,
    notBefore: now,
    alone: false,
  };
  const failedLane = counts ? laneFailed(lane, run.name) : lane;
  const failedBefore = before !== null;
  const verdict = verdictOf(failure, run, counted, failedLane, { failedBefore, answeredSince, now, pauses });
  return {
    verdict,
    lane: failedLane,
    record: recordAfter(verdict, failure.kind, counted, before, at),
  };
}

function recordAfter(
  verdict: Verdict,
  kind: Blamed,
  counted: ItemRecord,
  before: ItemRecord | null,
  at: { readonly now: number; readonly jitter: number; readonly pauses: Pauses },
): ItemRecord {
  if (verdict === 'again') return nextTry(kind, counted, at);
  // Time-outs alone count even then: a server that has answered others is not waited for again and again.
  if (verdict !== 'server' || kind === 'timeout') return counted;
  return { ...counted, tries: before?.tries ?? 0, triesAlone: before?.triesAlone ?? 0 };
}

function verdictOf(
  failure: { readonly kind: Blamed; readonly bytesArrived: boolean },
  run: FailedRun,
  record: ItemRecord,
  lane: Lane,
  at: {
    readonly failedBefore: boolean;
    readonly answeredSince: boolean;
    readonly now: number;
    readonly pauses: Pauses;
  },
): Verdict {
  const { answeredSince, pauses } = at;
  const waitedMs = at.now - (record.firstFailedAt ?? at.now);
  const several = lane.failedItems.length >= BROKEN_AFTER_ITEMS;
  // A server that has answered before is likely to answer again. One that never has is waited for without end.
  const isPatienceOver = several
    ? lane.answered > 0 && waitedMs >= pauses.patienceMs
    : waitedMs >= pauses.lonePatienceMs;
  switch (failure.kind) {
    case 'timeout':
      if (failure.bytesArrived) return 'item_error';
      // A later item was answered in the meantime: this one did not wait for its turn. The server may lose one request.
      if (lane.lastAnswered > run.number) return record.tries < 2 ? 'again' : 'item_error';
      if (!run.alone) return lane.answered > run.answeredBefore ? 'again' : 'server';
      if (answeredSince || record.failuresOfWorkingServer >= 2) return 'item_error';
      if (lane.answered > 0)
        return record.triesAlone >= MAX_TRIES && waitedMs >= pauses.lonePatienceMs ? 'item_error' : 'server';
      return record.triesAlone >= MAX_TIMEOUTS_ALONE ? 'failed' : 'server';
    case 'not_here':
      if (at.failedBefore && answeredSince) return 'failed';
      if (several) return 'server';
      if (record.tries < 2) return 'again';
      return record.failuresOfWorkingServer > 0 ? 'failed' : 'server';
    case 'transient':
      if (record.tries >= MAX_TRIES && record.failuresOfWorkingServer >= 2) return 'failed';
      if (several) return isPatienceOver ? 'failed' : 'server';
      return record.tries >= MAX_TRIES && isPatienceOver ? 'failed' : 'again';
    case 'interrupted':
      if (several) return isPatienceOver ? 'item_error' : 'server';
      if (record.triesAlone < MAX_TRIES) return 'again';
      return record.failuresOfWorkingServer > 0 || isPatienceOver ? 'item_error' : 'again';
    case 'overload':
      return record.overloadsAlone >= MAX_TRIES ? 'item_error' : 'again';
  }
}

/** Notes that a server rejected an item that may be right. It runs again after a pause. */
export function recordRejected(
  name: string,
  before: ItemRecord | null,
  at: { readonly now: number; readonly pauses: Pauses; readonly lastStarted: number },
): ItemRecord {
  return {
    name,
    tries: (before?.tries ?? 0) + 1,
    triesAlone: before?.triesAlone ?? 0,
    overloadsAlone: before?.overloadsAlone ?? 0,
    failuresOfWorkingServer: before?.failuresOfWorkingServer ?? 0,
    isRejected: true,
    firstFailedAt: before?.firstFailedAt ?? at.now,
    startedAtFailure: at.lastStarted,
    othersMayBeToBlame: before?.othersMayBeToBlame ?? false,
    notBefore: at.now + at.pauses.brokenMs,
    alone: false,
  };
}

function nextTry(
  kind: Blamed,
  record: ItemRecord,
  { now, jitter, pauses }: { readonly now: number; readonly jitter: number; readonly pauses: Pauses },
): ItemRecord {
  const grown = pauses.retryMs * PAUSE_FACTOR ** Math.max(0, record.tries - 1);
  // Otherwise other items get the time to show whether the server works.
  const isServerWorking = record.failuresOfWorkingServer === record.tries;
  const pauseMs = isServerWorking ? pauses.retryMs : Math.min(grown, pauses.maxRetryMs);
  const planned = now + pauseMs * (0.75 + jitter / 2);
  // The try that may end the item does not come later than the patience ends.
  const patienceEnd = (record.firstFailedAt ?? now) + pauses.lonePatienceMs;
  return {
    ...record,
    // An item that broke its connection while others ran runs alone as soon as it can.
    notBefore:
      kind === 'interrupted' && record.triesAlone === 0
        ? now
        : Math.min(planned, patienceEnd > now ? patienceEnd : planned),
    alone: kind === 'interrupted' || (kind !== 'transient' && record.tries >= ALONE_AFTER_TRIES),
  };
}
