import { ApiError } from './api-error.ts';

/**
 * Makes the error of a response that redirects; null if it does not. The client follows no redirect. The message names
 * no part of the location that can be secret.
 */
export function redirectErrorOf(response: Response, url: string): ApiError | null {
  if (response.status < 300 || response.status > 399) return null;
  const { origin } = new URL(url);
  const location = URL.parse(response.headers.get('location') ?? '', url);
  const where = location === null ? 'without a location' : `to ${location.origin}${location.pathname}`;
  const fix =
    location === null || location.origin === origin
      ? 'Check the URL of the control plane: it may belong to another program, or lack a path.'
      : `If the control plane is there, set its URL to ${location.origin} (MACBATCH_CONTROL_URL of a worker, MACBATCH_URL of a command).`;
  return new ApiError({
    type: 'about:blank',
    title: response.statusText,
    status: response.status,
    detail: `The control plane at ${origin} redirects ${where} (HTTP ${response.status}). ${fix}`,
    code: 'foreign_reply',
  });
}
