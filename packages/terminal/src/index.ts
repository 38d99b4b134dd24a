export { explanationText } from './explanation-text.ts';
export { EXIT, Failure } from './failure.ts';
export { showProgress } from './progress.ts';
export { showPruneProgress } from './prune-progress.ts';
export { stateText, summaryJson, summaryText } from './summary.ts';
export { table } from './table.ts';
export { printJson, printLine, type Terminal } from './terminal.ts';
export { watchJob } from './watch-job.ts';
export { workerTable } from './worker-table.ts';
