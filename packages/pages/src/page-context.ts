import type { Client } from '@macbatch/client';
import type { RouteReply } from '@macbatch/contract';
import type { Clock } from './times.tsx';

type Caller = RouteReply<'readCaller'>;

/** The colours that a reader chose; null follows the system. */
export type Theme = 'light' | 'dark' | null;

/** What every page is made from: who asks, how, and with which settings. */
export interface PageContext {
  /** Calls the API with the rights of the reader. */
  readonly client: Client;
  readonly caller: Caller;
  /** The path and the query of this page. */
  readonly url: URL;
  readonly clock: Clock;
  readonly theme: Theme;
}

/** Whether the reader may change jobs. */
export function maySubmit({ caller }: Pick<PageContext, 'caller'>): boolean {
  return caller.role === 'submit' || caller.role === 'admin';
}

/** Whether the reader may manage Macs and keys. */
export function mayAdminister({ caller }: Pick<PageContext, 'caller'>): boolean {
  return caller.role === 'admin';
}

/** The address of a page with some parameters of its query replaced. Null removes a parameter. */
export function withQuery(url: URL, changes: Readonly<Record<string, string | null>>): string {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
  }
  return changed.pathname + changed.search;
}
