/**
 * Reads headers from lines such as `Name: value`. Skips blank lines and lines that begin with `#`. Returns the number
 * of the first line that is no header, because the line itself may be a secret.
 */
export function readHeaderLines(
  lines: readonly string[],
): { readonly headers: Readonly<Record<string, string>> } | { readonly badLine: number } {
  const headers = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const colonAt = text.indexOf(':');
    if (colonAt < 1) return { badLine: index + 1 };
    headers.set(text.slice(0, colonAt).trim(), text.slice(colonAt + 1).trim());
  }
  return { headers: Object.fromEntries(headers) };
}
