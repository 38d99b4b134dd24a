import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RefusedRequest } from '../requests/refused-request.ts';

export interface RequestLimits {
  /** Requests a second of one key, as a mean over ten seconds. */
  readonly requestsPerSecond: number;
  /** Open uploads, downloads and waiting lease requests of one key. */
  readonly streams: number;
}

/** Limits of one control plane for one caller. Each control plane counts by itself. */
export interface CallerLimits {
  request(keyId: string | null): Promise<void>;
  /** Counts an attempt with a wrong key or a join token from an address. */
  attempt(address: string): Promise<void>;
  stream(keyId: string | null): () => void;
}

const WINDOW_SECONDS = 10;
/** Attempts with wrong keys that an address has per minute. */
const ATTEMPTS_A_MINUTE = 30;

/** Creates limits that count by key. While no key is needed, callers are not limited. */
export function requestLimits(limits: RequestLimits): CallerLimits {
  const requests = new RateLimiterMemory({
    points: limits.requestsPerSecond * WINDOW_SECONDS,
    duration: WINDOW_SECONDS,
  });
  const attempts = new RateLimiterMemory({ points: ATTEMPTS_A_MINUTE, duration: 60 });
  const streams = new Map<string, number>();
  return {
    request: (keyId) => (keyId === null ? Promise.resolve() : take(requests, keyId, 'This key has sent')),
    attempt: (address) => take(attempts, address, 'This address has tried'),
    stream(keyId) {
      if (keyId === null) return () => undefined;
      const open = streams.get(keyId) ?? 0;
      if (open >= limits.streams) {
        throw new RefusedRequest(
          'too_many_requests',
          `This key has ${open} uploads, downloads and waiting requests open, which is the limit.`,
          {},
          1,
        );
      }
      streams.set(keyId, open + 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const left = (streams.get(keyId) ?? 1) - 1;
        if (left === 0) streams.delete(keyId);
        else streams.set(keyId, left);
      };
    },
  };
}

async function take(limiter: RateLimiterMemory, who: string, text: string): Promise<void> {
  try {
    await limiter.consume(who);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
    throw new RefusedRequest(
      'too_many_requests',
      `${text} too many requests. Wait ${seconds} s.`,
      {},
      seconds,
    );
  }
}
