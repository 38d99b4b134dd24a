export { audit } from './audit.ts';
export { makeLeasesPass, rowCounts, waitForBlockedSession } from './forcing.ts';
export { type FreshStore, freshDatabase, freshStore } from './fresh-store.ts';
export { type SharedStore, sharedStore } from './shared-store.ts';
export {
  completion,
  failure,
  itemError,
  leaseOne,
  leaseTasks,
  NOOP_OFFER,
  NOOP_OFFERS,
  numberedItems,
  submitJob,
  success,
} from './submitted-job.ts';
