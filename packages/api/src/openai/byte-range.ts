/** A range of bytes: `start` is included, `end` is not. */
export interface RequestedRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a Range header for content of this size. Returns `whole` for a header that servers have to ignore: another
 * unit, several ranges, or a syntax error (RFC 9110, section 14.2).
 */
export function requestedRange(
  header: string | undefined,
  size: number,
): RequestedRange | 'whole' | 'unsatisfiable' {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
