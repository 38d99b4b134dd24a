/**
 * Returns the path that a form wants to go to next if it is a path of this site; otherwise `/`. Browsers read `\` as
 * `/` and drop tabs and line ends, so `/\host` and `/<tab>/host` would lead elsewhere.
 */
export function localPath(next: string): string {
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(next)) return '/';
  const base = 'http://page.invalid';
  const url = new URL(next, base);
  return url.origin === base ? url.pathname + url.search : '/';
}
