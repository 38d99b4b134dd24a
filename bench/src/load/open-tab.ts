import { get } from 'node:http';

/** At most one update of a page in this time, as `page.js` does it. */
const REFRESH_MS = 1000;

/** A page in a browser's tab: it listens to the page's stream and fetches the changed part after each event. */
export interface Tab {
  /** How often the page was fetched. */
  readonly fetched: () => number;
  close(): void;
}

/** Opens a page and its stream, as a browser does. Returns when the stream is open. */
export async function openTab(url: string, path: string): Promise<Tab> {
  const html = await (await fetch(url + path)).text();
  const stream = /hx-sse:connect="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  if (stream === undefined) throw new Error(`${path} has no stream`);
  let fetched = 0;
  let refreshedAt = 0;
  let planned: NodeJS.Timeout | undefined;
  let failure: Error | undefined;

  async function refresh(): Promise<void> {
    planned = undefined;
    refreshedAt = performance.now();
    const response = await fetch(url + path, { headers: { 'hx-request': 'true' } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    fetched += 1;
  }
  function changed(): void {
    planned ??= setTimeout(
      () => void refresh().catch((error: Error) => (failure = error)),
      Math.max(0, refreshedAt + REFRESH_MS - performance.now()),
    );
  }

  const request = get(url + stream, { agent: false });
  await new Promise<void>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      response.on('data', (chunk: Buffer) => {
        if (chunk.includes('data:')) changed();
      });
      response.on('error', () => undefined); // closed below
      resolve();
    });
  });
  return {
    fetched() {
      if (failure !== undefined) throw failure;
      return fetched;
    },
    close() {
      clearTimeout(planned);
      request.on('error', () => undefined);
      request.destroy();
    },
  };
}
