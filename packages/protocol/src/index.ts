export { secondsPerHour } from './plan.ts';
export { reportMarkdown } from './report.ts';
export { runProtocol } from './run-protocol.ts';
