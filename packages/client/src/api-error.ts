import { API_VERSION, API_VERSION_HEADER, apiVersionOf, PROBLEMS, Problem } from '@macbatch/contract';

/** The control plane refused a request. `code` is one of the contract's, or of a newer control plane's. */
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

  /** Whether sending the same again may help. */
  get retryable(): boolean {
    const known = Object.entries(PROBLEMS).find(([code]) => code === this.code);
    return known === undefined ? this.status >= 500 : known[1].retryable;
  }

  /** Whether the caller was turned away, whatever it has sent: its key is not right, or its version. */
  get turnedAway(): boolean {
    return [401, 403, 426].includes(this.status);
  }
}

/** The control plane could not be reached, or the connection broke before it had answered. */
export class Unreachable extends Error {
  constructor(url: string, cause: unknown) {
    super(`The control plane at ${url} does not answer: ${reason(cause)}`, { cause });
    this.name = 'Unreachable';
  }

  /** Whether trying again may help: a certificate that is not trusted stays so. */
  get mayPass(): boolean {
    return !/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|SSL_WRONG_VERSION/.test(codeOf(this.cause));
  }
}

/** The code of the innermost cause that has one. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return error.cause instanceof Error ? codeOf(error.cause) : String(Reflect.get(error, 'code') ?? '');
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch says only "fetch failed"; why stands in the cause.
  return error.cause instanceof Error
    ? reason(error.cause)
    : error.message || String(Reflect.get(error, 'code'));
}

/** The error that a response stands for. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const problem = Problem.parse(JSON.parse(text));
    const theirs = apiVersionOf(response.headers.get(API_VERSION_HEADER));
    if (problem.code !== 'invalid_field' || !(theirs < API_VERSION)) return new ApiError(problem);
    // What an earlier control plane does not know in a request it calls wrong.
    const upgrade = `This program speaks protocol ${API_VERSION}, the control plane ${theirs}: upgrade the control plane first.`;
    return new ApiError({ ...problem, detail: `${problem.detail} (${upgrade})` });
  } catch {
    return new ApiError({
      type: 'about:blank',
      title: response.statusText,
      status: response.status,
      detail: `HTTP ${response.status} that is not from macbatch: ${text.slice(0, 200)}`,
      code: 'foreign_reply',
    });
  }
}
