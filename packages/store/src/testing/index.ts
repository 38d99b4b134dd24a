export { audit } from './audit.ts';
export { type FileStore, fileStore } from './file-store.ts';
export { expireLeases, rowCounts, waitForBlockedSession } from './forcing.ts';
export { type FreshStore, freshDatabase, freshStore } from './fresh-store.ts';
export {
  completion,
  failure,
  itemError,
  leaseOne,
  leaseTasks,
  NOOP,
  NOOP_OFFER,
  numberedItems,
  submitJob,
  success,
} from './submitted-job.ts';
