import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { RefusedRequest } from '../requests/refused-request.ts';

export interface RequestLimits {
  /** Requests a second of one key, as a mean over ten. */
  readonly requestsPerSecond: number;
  /** Uploads, downloads and waiting lease requests of one key at once. */
  readonly streams: number;
}

/** What one control plane bears from one caller. Each counts for itself. */
export interface CallerLimits {
  request(keyId: string | null): Promise<void>;
  /** A try with a wrong key or a join token, from an address. */
  attempt(address: string): Promise<void>;
  stream(keyId: string | null): () => void;
}

const WINDOW_SECONDS = 10;
/** Wrong keys that an address may try in a minute. */
const ATTEMPTS_A_MINUTE = 30;

/** Counts by key. Who needs no key, because nobody does, is not limited. */
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
          `This key has ${open} uploads, downloads and waiting requests open, which is the most.`,
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
