export { audit } from './audit.ts';
export { type FileStore, fileStore } from './file-store.ts';
export { expireLeases, rowCounts } from './forcing.ts';
export { type FreshStore, freshDatabase, freshStore } from './fresh-store.ts';
export {
  completion,
  failure,
  itemError,
  leaseTasks,
  NOOP,
  numberedItems,
  submitJob,
  success,
} from './submitted-job.ts';
