/** Headers of a reply, by lower-case name, as undici gives them. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Longest time that a server may ask for. A wrong date must not stop a worker for days. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

/** Units of durations such as `1m30.5s`, as OpenAI's `x-ratelimit-reset-requests` has them. */
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * How long a server asks for no requests, in milliseconds; null if it does not say. Reads `Retry-After` (seconds or
 * a date), `retry-after-ms`, `x-ratelimit-reset-requests`, and "try again in 20s" in the message.
 */
export function retryAfterMs(headers: ReplyHeaders, message: string, nowMs: number): number | null {
  const found =
    numberOf(textOf(headers, 'retry-after-ms')) ??
    secondsOrDate(headers, nowMs) ??
    exhausted(headers) ??
    durationMs(/\b(?:try again|retry) (?:in|after) ([\d.hms]*\d(?:ms|h|m|s))/i.exec(message)?.[1]);
  return found === null ? null : Math.min(Math.max(0, found), MAX_RETRY_AFTER_MS);
}

function secondsOrDate(headers: ReplyHeaders, nowMs: number): number | null {
  const text = textOf(headers, 'retry-after');
  if (text === undefined) return null;
  const seconds = numberOf(text);
  if (seconds !== null) return seconds * 1000;
  // `Date.parse` finds a date in many texts that are none.
  const until =
    /^([a-z]+,? |\d{4}-\d\d)/i.test(text) && /\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  // The server's own clock, if it sends it: the two may differ.
  const since = Date.parse(textOf(headers, 'date') ?? '');
  return Number.isNaN(until) ? null : until - (Number.isNaN(since) ? nowMs : since);
}

/** The time until a limit that is used up begins anew. */
function exhausted(headers: ReplyHeaders): number | null {
  const times = ['requests', 'tokens']
    .filter((what) => textOf(headers, `x-ratelimit-remaining-${what}`) === '0')
    .flatMap((what) => durationMs(textOf(headers, `x-ratelimit-reset-${what}`)) ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

function durationMs(text: string | undefined): number | null {
  if (text === undefined || !/^(\d+(\.\d+)?(ms|h|m|s))+$/.test(text)) return null;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  );
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

function textOf(headers: ReplyHeaders, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0])?.trim();
}
