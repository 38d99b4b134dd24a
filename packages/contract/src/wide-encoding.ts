/**
 * Recognises JSON text in UTF-16 or UTF-32, which begins with a byte order mark or has a zero byte among its first
 * two bytes. Returns the name of the encoding as `iconv` knows it, or null.
 */
export function wideEncoding(bytes: Uint8Array): string | null {
  const [first, second, third, fourth] = bytes;
  if (first === undefined || second === undefined) return null;
  const isWide = third === 0 && fourth === 0;
  if (first === 0xff && second === 0xfe) return isWide ? 'UTF-32' : 'UTF-16';
  if (first === 0xfe && second === 0xff) return 'UTF-16';
  if (first === 0 && second === 0) return 'UTF-32';
  if (second === 0) return isWide ? 'UTF-32LE' : 'UTF-16LE';
  return first === 0 ? 'UTF-16BE' : null;
}
