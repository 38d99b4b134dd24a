export { secondsPerHour } from './plan.ts';
export { markdown } from './report.ts';
export { runProtocol } from './run-protocol.ts';
