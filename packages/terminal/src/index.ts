export {
  counted,
  duration,
  invitationLine,
  mixedBuildsText,
  printable,
  stateText,
  troubleHint,
  whyIdle,
  workerState,
} from '@macbatch/wording';
export { clockTime } from './clock-time.ts';
export { earlierJobsText } from './earlier-jobs.ts';
export { endText } from './end-text.ts';
export { eventTable } from './event-table.ts';
export { explanationText } from './explanation-text.ts';
export { EXIT, Failure } from './failure.ts';
export { failureTable } from './failure-table.ts';
export { itemTable, itemText } from './item-text.ts';
export { jobFailures } from './job-failures.ts';
export { jobTable } from './job-table.ts';
export { paintFor } from './paint.ts';
export { pauseText } from './pause-text.ts';
export { showProgress } from './progress.ts';
export { showPruneProgress } from './prune-progress.ts';
export { smallerTasksText } from './smaller-tasks.ts';
export { summaryJson, summaryText } from './summary.ts';
export { table } from './table.ts';
export { printJson, printLine, type Terminal } from './terminal.ts';
export { throughputTable } from './throughput-table.ts';
export { watchJob } from './watch-job.ts';
export { workerTable } from './worker-table.ts';
