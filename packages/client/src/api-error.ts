import { API_VERSION, API_VERSION_HEADER, apiVersionOf, PROBLEMS, Problem } from '@macbatch/contract';
import { codeOf, isTlsRefusal, unreachableReason } from './unreachable-reason.ts';

/** The control plane refused a request. `code` is a code of the contract, or of a newer control plane. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ApiError';
    this.code = problem.code;
    this.status = problem.status;
    this.problem = problem;
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    const known = Object.entries(PROBLEMS).find(([code]) => code === this.code);
    return known === undefined ? this.status >= 500 : known[1].retryable;
  }

  /** Whether the control plane refuses the caller and not the content: a wrong key, or an old API version. */
  get isCallerRefused(): boolean {
    return [401, 403, 426].includes(this.status);
  }
}

/** The control plane cannot be reached, or the connection broke before the answer. */
export class Unreachable extends Error {
  constructor(url: string, cause: unknown) {
    super(`The control plane at ${url} does not answer: ${unreachableReason(url, cause)}`, { cause });
    this.name = 'Unreachable';
  }

  /** Whether a retry may help. A retry does not help against an untrusted certificate, or a server without TLS. */
  get retryable(): boolean {
    return !isTlsRefusal(codeOf(this.cause));
  }
}

/** Statuses of a control plane, or of a proxy before it, that cannot serve any request now. */
const OUTAGE_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether the control plane or its database is down, so that every call fails until it is back. */
export function isOutage(error: unknown): boolean {
  if (error instanceof Unreachable) return error.retryable;
  return error instanceof ApiError && OUTAGE_STATUSES.has(error.status);
}

/** Converts an unsuccessful response to an error. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const problem = Problem.parse(JSON.parse(text));
    const theirs = apiVersionOf(response.headers.get(API_VERSION_HEADER));
    if (problem.code !== 'invalid_field' || !(theirs < API_VERSION)) return new ApiError(problem);
    // An older control plane refuses fields that it does not know.
    const upgrade = `This program has API version ${API_VERSION}, the control plane ${theirs}: upgrade the control plane first.`;
    return new ApiError({ ...problem, detail: `${problem.detail} (${upgrade})` });
  } catch {
    return new ApiError({
      type: 'about:blank',
      title: response.statusText,
      status: response.status,
      detail: `HTTP ${response.status} from a server that is not macbatch: ${text.slice(0, 200)}`,
      code: 'foreign_reply',
    });
  }
}
