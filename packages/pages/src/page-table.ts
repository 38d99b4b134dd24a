import { adminPage } from './admin/admin-page.tsx';
import { eventsPage } from './events/events-page.tsx';
import { itemPage } from './items/item-page.tsx';
import { itemsPage } from './items/items-page.tsx';
import { jobPage } from './jobs/job-page.tsx';
import { jobsPage } from './jobs/jobs-page.tsx';
import type { PageContent } from './layout.tsx';
import { macPage } from './macs/mac-page.tsx';
import { macsPage } from './macs/macs-page.tsx';
import type { PageContext } from './page-context.ts';
import { throughputPage } from './throughput/throughput-page.tsx';

type Page = (context: PageContext, params: Readonly<Record<string, string>>) => Promise<PageContent>;

/** Every page by its path. */
export const PAGES: Readonly<Record<string, Page>> = {
  '/': jobsPage,
  '/jobs/:id': jobPage,
  '/jobs/:id/items': itemsPage,
  '/jobs/:id/items/:seq{\\d+}': itemPage,
  '/macs': macsPage,
  '/macs/:id': macPage,
  '/throughput': throughputPage,
  '/events': eventsPage,
  '/admin': adminPage,
};
