/** One step of the protocol and its result. */
export interface Step {
  readonly hour: number;
  readonly name: string;
  /** What must be true. */
  readonly expectation: string;
  readonly held: boolean;
  readonly found: string;
}

/** The cost of a kill. */
export interface KillCost {
  readonly worker: string;
  readonly tasks: number;
  /** Items that were leased again. */
  readonly rerunItems: number;
  /** From the kill until the last of the tasks had a new lease. Null if no task had one. */
  readonly seconds: number | null;
}

export interface ProtocolReport {
  readonly startedAt: string;
  readonly controlPlane: string;
  readonly secondsPerHour: number;
  readonly jobId: string;
  /** Counted outside the database before the workers started. */
  readonly externalCount: number;
  readonly boots: readonly {
    readonly worker: string;
    readonly bootId: string;
    readonly recordFound: boolean;
    readonly verdict: string | null;
  }[];
  readonly kills: readonly KillCost[];
  readonly duplicates: { readonly byItem: number; readonly byKey: number } | null;
  readonly done: number;
  readonly failed: number;
  readonly leaseExpiredEvents: number;
  readonly steps: readonly Step[];
  readonly verdict: 'passed' | 'failed';
}

/** Formats a report as Markdown. */
export function reportMarkdown(report: ProtocolReport): string {
  const rows = (cells: readonly (readonly (string | number)[])[]) =>
    cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
  return `# Durability protocol: ${report.verdict}

Started ${report.startedAt} against ${report.controlPlane}; an hour of the protocol took ${report.secondsPerHour.toFixed(1)} s.
Job ${report.jobId}.

| hour | step | must hold | | found |
| ---: | --- | --- | --- | --- |
${rows(report.steps.map((step) => [step.hour, step.name, step.expectation, step.held ? 'held' : '**failed**', step.found]))}

## Counts

| what | count |
| --- | ---: |
${rows([
  ['items counted outside the database before the start', report.externalCount],
  ['done', report.done],
  ['failed', report.failed],
  ['duplicates by job and item', report.duplicates?.byItem ?? 'not checked'],
  ['duplicates by key', report.duplicates?.byKey ?? 'not checked'],
  ['lease_expired_events', report.leaseExpiredEvents],
])}

## Kills

| worker | tasks held | items leased again | seconds until the last lease |
| --- | ---: | ---: | ---: |
${rows(report.kills.map((kill) => [kill.worker, kill.tasks, kill.rerunItems, kill.seconds === null ? 'never' : kill.seconds.toFixed(1)]))}

## Boots

| worker | boot | record found | verdict |
| --- | --- | --- | --- |
${rows(report.boots.map((boot) => [boot.worker, boot.bootId, boot.recordFound ? 'yes' : 'no', boot.verdict ?? 'not reported']))}
`;
}
