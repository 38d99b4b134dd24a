import type { Row } from './row.ts';
import { batch, largeBatch } from './rows/batch.ts';
import { claimGrowth } from './rows/claim-growth.ts';
import { download } from './rows/download.ts';
import { enqueue } from './rows/enqueue.ts';
import { footprint } from './rows/footprint.ts';
import { heldSnapshot } from './rows/held-snapshot.ts';
import { httpCycle } from './rows/http-cycle.ts';
import { idleLatency } from './rows/idle-latency.ts';
import { ingest } from './rows/ingest.ts';
import { jobView } from './rows/job-view.ts';
import { largeFile } from './rows/large-file.ts';
import { pageTabs } from './rows/page-tabs.ts';
import { renewals } from './rows/renewals.ts';
import { startUp } from './rows/start-up.ts';
import { storeCycle } from './rows/store-cycle.ts';

export const ROWS: readonly Row[] = [
  storeCycle,
  httpCycle,
  enqueue,
  ingest,
  download,
  batch,
  largeBatch,
  largeFile,
  claimGrowth,
  renewals,
  heldSnapshot,
  footprint,
  idleLatency,
  jobView,
  pageTabs,
  startUp,
];
