import { decide } from '../../lifecycle/decide.ts';
import type { TaskEventType } from '../../lifecycle/event.ts';
import { LEASE_SECONDS, MAX_ATTEMPTS, MAX_EXPIRIES } from '../../lifecycle/lease-terms.ts';
import type { Task } from '../../lifecycle/task.ts';
import { changes, REFUSAL_NOTES } from './changes.ts';
import { EVENTS, type EventSection } from './events.ts';
import { ITEMS, STATES } from './states.ts';

/** A task on the page: `L2` is the second one of the kind `leased`. */
interface NamedTask {
  readonly kind: string;
  readonly label: string;
  readonly description: string;
  readonly task: Task;
}

const TASKS: readonly NamedTask[] = Object.entries(STATES).flatMap(([kind, states]) =>
  Object.entries(states).map(([description, task], index) => ({
    kind,
    label: `${kind.charAt(0).toUpperCase()}${index + 1}`,
    description,
    task,
  })),
);

const sections = (type: string): readonly EventSection[] => [EVENTS[type as TaskEventType]].flat();

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = '', ...body] = all.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}

/** Labels of tasks that an event treats alike: the kind alone if it covers all candidates of that kind. */
function labels(alike: readonly NamedTask[], candidates: readonly NamedTask[]): string {
  return [...Map.groupBy(alike, ({ kind }) => kind)]
    .map(([kind, some]) =>
      some.length === candidates.filter((each) => each.kind === kind).length
        ? kind
        : some.map(({ label }) => label).join(' '),
    )
    .join(', ');
}

function eventTable(eventFor: (task: Task) => ReturnType<EventSection['from'][string]>): string {
  const decided = TASKS.flatMap((named) => {
    const event = eventFor(named.task);
    return event === null ? [] : [{ named, decision: decide(named.task, event) }];
  });
  const candidates = decided.map(({ named }) => named);
  const cells = decided.map(({ named, decision }) => ({
    named,
    becomes: decision.ok ? decision.task.status : `refused: \`${decision.reason}\``,
    note: decision.ok ? changes(named.task, decision.task) : REFUSAL_NOTES[decision.reason],
  }));
  const rows = [...Map.groupBy(cells, ({ becomes, note }) => `${becomes}\n${note}`).values()].map((alike) => [
    labels(
      alike.map(({ named }) => named),
      candidates,
    ),
    alike[0]?.becomes ?? '',
    alike[0]?.note ?? '',
  ]);
  return table(['task', 'becomes', 'what changes'], rows);
}

/** A Mermaid state diagram of every status change that some event makes. */
function diagram(): string {
  const transitions = Object.keys(EVENTS).flatMap((type) =>
    sections(type).flatMap(({ from }) =>
      Object.values(from).flatMap((eventFor) =>
        TASKS.flatMap(({ task }) => {
          const event = eventFor(task);
          const decision = event === null ? null : decide(task, event);
          return decision?.ok && decision.task.status !== task.status
            ? [{ arrow: `${task.status} --> ${decision.task.status}`, type }]
            : [];
        }),
      ),
    ),
  );
  const arrows = [...Map.groupBy(transitions, ({ arrow }) => arrow)].map(
    ([arrow, some]) => `  ${arrow}: ${[...new Set(some.map(({ type }) => type))].join(', ')}`,
  );
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> pending: submit', ...arrows, '```'].join('\n');
}

function eventSection(type: string): string {
  return [
    `## ${type}`,
    ...sections(type).flatMap(({ summary, from }) => [
      summary,
      ...Object.entries(from).map(([sender, eventFor]) => `From ${sender}:\n\n${eventTable(eventFor)}`),
    ]),
  ].join('\n\n');
}

/** Renders LIFECYCLE.md from the answers of `decide`. */
export function lifecyclePage(): string {
  return `# The life of a task

A test (\`src/lifecycle/lifecycle.test.ts\`) writes this page from the answers of \`decide\`. Do not edit it by hand.

A lease lasts ${LEASE_SECONDS} s. A task fails with an error at its attempt number ${MAX_ATTEMPTS} (or, with retry_on errors, with its error number ${MAX_ATTEMPTS}), and after ${MAX_EXPIRIES} expiries in a row.

${diagram()}

## The tasks

Every event below meets each of these tasks, which have ${ITEMS} items each. A table that names a kind means all tasks of
that kind that can get the event from that sender.

${table(
  ['task', 'kind', 'how it got there'],
  TASKS.map(({ label, kind, description }) => [label, kind, description]),
)}

${Object.keys(EVENTS).map(eventSection).join('\n\n')}
`;
}
