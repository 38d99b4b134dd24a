import { PROBLEMS, type Problem, type ProblemCode } from '@macbatch/contract';

/** The place of the fault that a refusal names. */
export interface Place {
  readonly field?: string;
  readonly line?: number;
  readonly item_id?: string;
}

/** A request that is refused; becomes problem details at the edge. Nothing of it has been stored. */
export class RefusedRequest extends Error {
  readonly code: ProblemCode;
  readonly place: Place;
  /** When to try again. */
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

/** A refusal for where there is no request to answer. */
export function problemText(
  code: ProblemCode,
  detail: string,
): { readonly status: number; readonly title: string; readonly body: string } {
  const problem = problemOf(new RefusedRequest(code, detail));
  return { status: problem.status, title: problem.title, body: JSON.stringify(problem) };
}

/** The response that carries a refusal. */
export function problemResponse(refusal: RefusedRequest): Response {
  const problem = problemOf(refusal);
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      // The rest of such a body is not read: the connection can carry no other request.
      ...(problem.status === 413 || problem.status === 408 ? { connection: 'close' } : {}),
      ...(problem.status === 401 ? { 'www-authenticate': 'Bearer realm="macbatch"' } : {}),
      ...(refusal.retryAfterSeconds === null ? {} : { 'retry-after': String(refusal.retryAfterSeconds) }),
    },
  });
}
