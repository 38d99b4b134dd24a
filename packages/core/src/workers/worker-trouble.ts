import { isSameWorkKind, type WorkKind } from '../scheduling/work-kind.ts';

/** Why a worker cannot run one of its offers now, as its model server explained it. */
export interface WorkerTrouble extends WorkKind {
  /** The runtime that has the trouble, such as a model server's host and port. */
  readonly endpoint: string;
  /** `server_unreachable`, `unauthorized`, … */
  readonly code: string;
  readonly message: string;
  readonly sinceSeconds: number;
  /** Seconds until the worker tries again; null if it does not. */
  readonly nextTrySeconds: number | null;
}

/** Codes of a server that works but asks for fewer requests. */
const SLOWED: ReadonlySet<string> = new Set(['rate_limited', 'server_busy']);

/** Codes of troubles that last until a person changes a setting. */
export const LASTING_TROUBLES: readonly string[] = [
  'unauthorized',
  'forbidden',
  'quota_exhausted',
  'model_not_found',
  'not_supported',
  'certificate_refused',
];

/** Whether a worker cannot run work of this kind now. A server that only wants fewer requests still runs it. */
export function isInTrouble(
  { troubles }: { readonly troubles: readonly WorkerTrouble[] },
  kind: WorkKind,
): boolean {
  return troubles.some((trouble) => isSameWorkKind(trouble, kind) && !SLOWED.has(trouble.code));
}

/** Whether a person has to change a setting before the work can run. */
export function needsAttention({ code }: Pick<WorkerTrouble, 'code'>): boolean {
  return LASTING_TROUBLES.includes(code);
}
