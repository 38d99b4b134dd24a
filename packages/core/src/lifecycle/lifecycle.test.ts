import { expect, it } from 'vitest';
import { after } from '../testing/after.ts';
import {
  cancel,
  copy,
  expire,
  fail,
  LEASE_MS,
  lease,
  loseCopy,
  release,
  renew,
  report,
  retry,
  T0,
} from '../testing/events.ts';
import { decide } from './decide.ts';
import type { Refusal, TaskEvent, TaskEventType } from './event.ts';
import { LEASE_SECONDS, MAX_ATTEMPTS, MAX_EXPIRIES } from './lease-terms.ts';
import { newTask, type Task } from './task.ts';

/** Now, in every row of the document: within the leases that began at T0. */
const NOW = T0 + 60_000;
const LONG_AGO = T0 - 10 * LEASE_MS;
const ITEMS = 10;

const expiries = (count: number): TaskEvent[] =>
  Array.from({ length: count }, () => [lease('ann', LONG_AGO), expire(LONG_AGO + LEASE_MS)]).flat();

const fresh = newTask(ITEMS, 'attempts');
const onErrorsOnly = newTask(ITEMS, 'errors');
const failed = after(fresh, ...expiries(2), lease('bob'), fail('bob', 3));
const cancelled = (task: Task): Task => ({ ...task, cancelled: true });

/** Tasks that the rules may tell apart, by kind, each reached by events. Ann came first, bob holds. */
const STATES: Readonly<Record<string, Readonly<Record<string, Task>>>> = {
  pending: {
    new: fresh,
    'expired once': after(fresh, ...expiries(1)),
    'handed back once': after(fresh, lease('ann', LONG_AGO), release('ann', 1)),
    'two item errors recorded': after(fresh, lease('ann', LONG_AGO), report('ann', 1, 2), fail('ann', 1)),
  },
  leased: {
    'attempt 1': after(fresh, lease('bob')),
    'attempt 2': after(fresh, ...expiries(1), lease('bob')),
    'attempt 2, two item errors recorded': after(
      fresh,
      lease('ann', LONG_AGO),
      report('ann', 1, 2),
      fail('ann', 1),
      lease('bob'),
    ),
    'attempt 3': after(fresh, ...expiries(2), lease('bob')),
    'attempt 3, of which one was handed back': after(
      fresh,
      lease('ann', LONG_AGO),
      release('ann', 1),
      lease('ann', LONG_AGO),
      expire(LONG_AGO + LEASE_MS),
      lease('bob'),
    ),
    'attempt 3 where only errors count': after(onErrorsOnly, ...expiries(2), lease('bob')),
    'attempt 3 after two errors where only errors count': after(
      onErrorsOnly,
      lease('ann', LONG_AGO),
      fail('ann', 1),
      lease('ann', LONG_AGO),
      fail('ann', 2),
      lease('bob'),
    ),
    'attempt 4, the first since a retry': after(failed, retry(), lease('bob')),
    'attempt 2, overdue': after(fresh, ...expiries(1), lease('bob', LONG_AGO)),
    'attempt 10, overdue after nine expiries': after(fresh, ...expiries(9), lease('bob', LONG_AGO)),
  },
  done: { 'at attempt 2': after(fresh, ...expiries(1), lease('bob'), report('bob', 2, ITEMS)) },
  failed: { 'at attempt 3': failed, 'after ten expiries': after(fresh, ...expiries(10)) },
  'of a cancelled job': {
    pending: cancelled(after(fresh, ...expiries(1))),
    leased: cancelled(after(fresh, ...expiries(1), lease('bob'))),
    'leased, overdue': cancelled(after(fresh, ...expiries(1), lease('bob', LONG_AGO))),
    done: cancelled(after(fresh, ...expiries(1), lease('bob'), report('bob', 2, ITEMS))),
    failed: cancelled(failed),
  },
};

type Sender = (send: (worker: string, attempt: number) => TaskEvent) => (task: Task) => TaskEvent | null;

/** Those a report, renewal, error or release may come from; null where there is no such sender. */
const SENDERS: Readonly<Record<string, Sender>> = {
  'the holder': (send) => (task) => (task.status === 'leased' ? send('bob', task.attempts) : null),
  'a lease that ended': (send) => (task) => {
    const current = task.status === 'leased' ? task.attempts : task.attempts + 1;
    return current > 1 ? send('ann', current - 1) : null;
  },
  'another worker with the holder’s number': (send) => (task) =>
    task.status === 'leased' ? send('eve', task.attempts) : null,
  'a lease never granted': (send) => (task) => send('eve', task.attempts + 1),
};

const bySender = (
  send: (worker: string, attempt: number, task: Task) => TaskEvent,
  senders: readonly string[] = Object.keys(SENDERS),
): Readonly<Record<string, (task: Task) => TaskEvent | null>> =>
  Object.fromEntries(
    senders.map((name) => [
      name,
      (task: Task) => SENDERS[name]?.((worker, attempt) => send(worker, attempt, task))(task) ?? null,
    ]),
  );

/** A result is judged by its lease number alone, so the holder's number is the holder for a report. */
const REPORTERS = ['the holder', 'a lease that ended', 'a lease never granted'];

interface Chapter {
  readonly says: string;
  readonly from: Readonly<Record<string, (task: Task) => TaskEvent | null>>;
}

const CHAPTERS: Readonly<Record<TaskEventType, Chapter | readonly Chapter[]>> = {
  lease: {
    says: 'A worker asks for the task.',
    from: { 'any worker': () => lease('cem', NOW) },
  },
  renew: {
    says: 'A worker asks for more time.',
    from: bySender((worker, attempt) => renew(worker, attempt, NOW)),
  },
  report: [
    {
      says: 'A worker brings the outcomes of all items that are missing.',
      from: bySender(
        (worker, attempt, task) => report(worker, attempt, task.itemCount - task.outcomeCount),
        REPORTERS,
      ),
    },
    {
      says: 'A worker brings the outcome of one item, which is the first for it.',
      from: bySender(
        (worker, attempt, task) => report(worker, attempt, Math.min(1, task.itemCount - task.outcomeCount)),
        REPORTERS,
      ),
    },
  ],
  fail: {
    says: 'A worker gives the task up with an error.',
    from: bySender((worker, attempt) => fail(worker, attempt, '"out of memory"')),
  },
  release: {
    says: 'A worker hands the task back unfinished.',
    from: bySender((worker, attempt) => release(worker, attempt)),
  },
  expire: {
    says: 'A request came in, and the reclaim that runs in it looks at the task.',
    from: { 'the clock': () => expire(NOW) },
  },
  copy: {
    says: 'A worker that has nothing to do could run some of its items as well.',
    from: {
      'any other worker': () => copy('cem'),
      'the holder': (task) => (task.status === 'leased' ? copy('bob') : null),
    },
  },
  lose_copy: {
    says: 'A copy of some of its items was lost to the clock.',
    from: { 'the clock': () => loseCopy() },
  },
  retry: [
    {
      says: 'A person sends the task back, with no item errors to withdraw.',
      from: { 'a person': () => retry(0) },
    },
    {
      says: 'A person sends the errors of two items back.',
      from: { 'a person': (task) => (task.outcomeCount >= 2 ? retry(2) : null) },
    },
  ],
  cancel: {
    says: 'A person cancels the job.',
    from: { 'a person': () => cancel() },
  },
};

const REFUSAL_NOTES: Readonly<Record<Refusal, string>> = {
  job_cancelled: 'the job was cancelled',
  already_done: 'the result is there already: first result wins',
  not_pending: 'somebody else has it, or it has ended',
  not_leased: 'no lease of that number was ever granted',
  lease_lost: 'the sender does not hold the lease',
  not_due: 'no lease has run out',
  nothing_to_retry: 'nothing in it ended in an error',
  still_leased: 'a worker has it; what it reports comes first',
};

function changes(before: Task, next: Task): string {
  const step = (name: string, from: number, to: number) =>
    from === to ? [] : [`${name} ${to > from ? `+ ${to - from}` : `− ${from - to}`}`];
  const counted = (name: string, from: number, to: number) =>
    from > 0 && to === 0 ? [`${name} 0`] : step(name, from, to);
  return [
    ...step('attempts', before.attempts, next.attempts),
    ...(next.status === 'done'
      ? ['every outcome is there']
      : step('outcomes', before.outcomeCount, next.outcomeCount)),
    ...step('returns', before.returns, next.returns),
    ...counted('errors', before.errors, next.errors),
    ...counted('expiries', before.expiries, next.expiries),
    ...(next.retryBase === before.retryBase ? [] : ['attempts so far forgiven']),
    ...(next.leaseUntil === before.leaseUntil
      ? []
      : next.leaseUntil === null
        ? ['lease ends']
        : [`lease ends in ${(next.leaseUntil - NOW) / 1000} s`]),
    ...(next.assignedWorker === before.assignedWorker
      ? []
      : [next.assignedWorker === null ? 'worker cleared' : 'worker is the sender']),
    ...(next.cancelled === before.cancelled ? [] : ['marked as cancelled']),
    ...(next.error === before.error ? [] : [next.error === null ? 'error cleared' : 'error recorded']),
  ].join(', ');
}

function outcome(task: Task, event: TaskEvent): readonly [becomes: string, note: string] {
  const decision = decide(task, event);
  if (!decision.ok) return [`refused: \`${decision.reason}\``, REFUSAL_NOTES[decision.reason]];
  const { status } = decision.task;
  return [status === task.status ? `${status}, still` : `**${status}**`, changes(task, decision.task)];
}

/** The states of one kind that fare alike; just the kind when all of its states do. */
function names(kind: string, alike: readonly string[], all: readonly string[]): string {
  return alike.length === all.length ? `**${kind}**` : `**${kind}**: ${alike.join('; ')}`;
}

/** A table whose columns line up, as the formatter of this repository would have them. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 3)),
    [],
  );
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const [head, ...body] = rows.map((row) =>
    line(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))),
  );
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

/** One row for each sender and fate. */
function table({ from }: Chapter): string {
  const rows = Object.entries(from).flatMap(([sender, eventFor]) => {
    const fates = new Map<string, { readonly fate: readonly string[]; readonly tasks: string[] }>();
    for (const [kind, states] of Object.entries(STATES)) {
      const fateOf = Object.entries(states).flatMap(([name, task]) => {
        const event = eventFor(task);
        return event === null ? [] : [{ name, fate: outcome(task, event) }];
      });
      const all = fateOf.map(({ name }) => name);
      for (const [key, alike] of Map.groupBy(fateOf, ({ fate }) => fate.join())) {
        const tasks = names(
          kind,
          alike.map(({ name }) => name),
          all,
        );
        const row = fates.get(key) ?? { fate: alike[0]?.fate ?? [], tasks: [] };
        row.tasks.push(tasks);
        fates.set(key, row);
      }
    }
    return [...fates.values()].map(({ fate, tasks }) => [tasks.join('<br>'), sender, ...fate]);
  });
  return aligned([['task is', 'event from', 'becomes', 'note'], ...rows]);
}

const chaptersOf = (type: TaskEventType): readonly Chapter[] => [CHAPTERS[type]].flat();

const DOCUMENT = `# The life of a task

Written by \`src/lifecycle.test.ts\` from what \`decide\` answers; do not edit it by hand. A lease holds
${LEASE_SECONDS} s, an error at ${MAX_ATTEMPTS} charged attempts is final, and so are ${MAX_EXPIRIES} expiries. The task has ${ITEMS} items.

These are the tasks that stand against every event. Where a table names only the kind, every task of that kind
that can get such an event from such a sender fares alike.

${Object.entries(STATES)
  .map(([kind, states]) => `- **${kind}**: ${Object.keys(states).join('; ')}`)
  .join('\n')}

${Object.keys(CHAPTERS)
  .map((type) =>
    [
      `## ${type}`,
      ...chaptersOf(type as TaskEventType).flatMap((chapter) => [chapter.says, table(chapter)]),
    ].join('\n\n'),
  )
  .join('\n\n')}
`;

it('T1: LIFECYCLE.md tells what every event makes of every state', async () => {
  await expect(DOCUMENT).toMatchFileSnapshot('../../LIFECYCLE.md');
});
