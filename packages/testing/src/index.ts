export { serveLocally } from './serve-locally.ts';
export { type OnEnd, testFolder } from './test-folder.ts';
export { until } from './until.ts';
