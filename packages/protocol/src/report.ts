/** One step of the protocol and how it went. */
export interface Step {
  readonly hour: number;
  readonly name: string;
  /** What must hold. */
  readonly expectation: string;
  readonly held: boolean;
  readonly found: string;
}

/** What a kill cost. */
export interface KillCost {
  readonly worker: string;
  readonly tasks: number;
  /** Items that were handed out again. */
  readonly rerunItems: number;
  /** From the kill until the last of its tasks had a new lease. */
  readonly seconds: number | null;
}

export interface ProtocolReport {
  readonly startedAt: string;
  readonly controlPlane: string;
  readonly secondsPerHour: number;
  readonly jobId: string;
  /** Counted outside the database before anything ran. */
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

/** The report for people. */
export function markdown(report: ProtocolReport): string {
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
  ['items counted outside before the start', report.externalCount],
  ['done', report.done],
  ['failed', report.failed],
  ['duplicates by job and item', report.duplicates?.byItem ?? 'not looked for'],
  ['duplicates by key', report.duplicates?.byKey ?? 'not looked for'],
  ['lease_expired_events', report.leaseExpiredEvents],
])}

## Kills

| worker | tasks held | items handed out again | seconds until they were |
| --- | ---: | ---: | ---: |
${rows(report.kills.map((kill) => [kill.worker, kill.tasks, kill.rerunItems, kill.seconds === null ? 'never' : kill.seconds.toFixed(1)]))}

## Boots

| worker | boot | record found | verdict |
| --- | --- | --- | --- |
${rows(report.boots.map((boot) => [boot.worker, boot.bootId, boot.recordFound ? 'yes' : 'no', boot.verdict ?? 'not heard']))}
`;
}
