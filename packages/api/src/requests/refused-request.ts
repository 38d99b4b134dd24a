import { PROBLEMS, type Problem, type ProblemCode } from '@macbatch/contract';

/** The position of the error in the request. */
export interface Place {
  readonly field?: string;
  readonly line?: number;
  readonly item_id?: string;
}

/** Thrown to refuse a request. The app turns it into problem details. Nothing of the request is stored. */
export class RefusedRequest extends Error {
  readonly code: ProblemCode;
  readonly place: Place;
  /** Seconds after which a retry may succeed. */
  readonly retryAfterSeconds: number | null;
  constructor(code: ProblemCode, detail: string, place: Place = {}, retryAfterSeconds: number | null = null) {
    super(detail);
    this.name = 'RefusedRequest';
    this.code = code;
    this.place = place;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** RFC 9457 problem details. */
function problemOf(refusal: RefusedRequest): Problem {
  const { status, title } = PROBLEMS[refusal.code];
  return {
    type: `urn:macbatch:problem:${refusal.code}`,
    title,
    status,
    detail: refusal.message,
    code: refusal.code,
    ...refusal.place,
  };
}

/** Problem details as text, for connections without a parsed request. */
export function problemText(
  code: ProblemCode,
  detail: string,
): { readonly status: number; readonly title: string; readonly body: string } {
  const problem = problemOf(new RefusedRequest(code, detail));
  return { status: problem.status, title: problem.title, body: JSON.stringify(problem) };
}

/** The HTTP response of a refused request. */
export function problemResponse(refusal: RefusedRequest): Response {
  const problem = problemOf(refusal);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      // The rest of the body is not read, so the connection cannot be reused.
      ...(problem.status === 413 || problem.status === 408 ? { connection: 'close' } : {}),
      ...(problem.status === 401 ? { 'www-authenticate': 'Bearer realm="macbatch"' } : {}),
      ...(refusal.retryAfterSeconds === null ? {} : { 'retry-after': String(refusal.retryAfterSeconds) }),
    },
  });
}
