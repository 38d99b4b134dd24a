import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The files that pages load, by the name that they have in the folder `assets` of a packed program. */
const SOURCES = {
  'page.css': new URL('../assets/page.css', import.meta.url),
  'page.js': new URL('../assets/page.js', import.meta.url),
  'plots.js': new URL('../assets/plots.js', import.meta.url),
  'htmx.min.js': 'htmx.org/dist/htmx.min.js',
  'hx-sse.min.js': 'htmx.org/dist/ext/hx-sse.min.js',
  'uPlot.iife.min.js': 'uplot/dist/uPlot.iife.min.js',
  'uPlot.min.css': 'uplot/dist/uPlot.min.css',
} as const;

export type AssetName = keyof typeof SOURCES;

/** A file that a browser loads, under a path that contains a hash of its content, so that browsers may cache it for a year. */
export interface Asset {
  readonly path: string;
  readonly content: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

/** Reads every file that pages load. */
export function readAssets(): Readonly<Record<AssetName, Asset>> {
  const entries = (Object.keys(SOURCES) as AssetName[]).map((name) => [name, readAsset(name)] as const);
  return Object.fromEntries(entries) as Record<AssetName, Asset>;
}

/** Copies the files that pages load into the folder `assets` of a packed program. */
export async function copyAssets(folder: string): Promise<void> {
  for (const path of assetFiles()) await cp(path, join(folder, basename(path)));
}

/** Lists the paths of the files that pages load. */
export function assetFiles(): readonly string[] {
  return (Object.keys(SOURCES) as AssetName[]).map(locate);
}

function readAsset(name: AssetName): Asset {
  const content = Uint8Array.from(readFileSync(locate(name)));
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return {
    path: `/assets/${digest}/${name}`,
    content,
    contentType: name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
  };
}

/** Finds a file in the folder of a packed program, or else where its package has it. */
function locate(name: AssetName): string {
  const source = SOURCES[name];
  const packed = fileURLToPath(new URL(`../assets/${name}`, import.meta.url));
  if (typeof source !== 'string' || existsSync(packed)) return packed;
  return require.resolve(source.replace(/[^/]+$/, basename(source)));
}
