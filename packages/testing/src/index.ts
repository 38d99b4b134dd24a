export { serveLocally } from './serve-locally.ts';
export { testFolder } from './test-folder.ts';
export { until } from './until.ts';
