/** The code and the message of the error in the detail of an event; empty if it has none. */
export function eventErrorText(detail: unknown): string {
  if (typeof detail !== 'object' || detail === null) return '';
  const error: unknown = 'error' in detail ? detail.error : detail;
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return '';
  return `${String(error.code)}: ${String(error.message)}`;
}
