import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import type { JobType } from './job-type.ts';
import { isLosslessJson } from './lossless-json.ts';

/** What every item of a job has in common. */
export interface KeyedJob {
  readonly jobType: JobType;
  /** The configured alias, not a model name that may change behind it. */
  readonly model: string;
  /** JSON text of an object. */
  readonly params: string;
}

/**
 * Returns a function that computes the canonical text (RFC 8785) of an item of one
 * job: an object of job_type, model, params and payload. The text is null if canonical JSON cannot
 * represent the payload without loss. Such an item is never reused.
 */
export function keyTexts(job: KeyedJob): (payload: string) => string | null {
  const params = canonicalText(job.params);
  if (params === null) return () => null;
  const head = `{"job_type":${JSON.stringify(job.jobType)},"model":${JSON.stringify(job.model)},"params":${params},"payload":`;
  return (payload) => {
    const text = canonicalText(payload);
    return text === null ? null : `${head}${text}}`;
  };
}

/** An item's idempotency key: SHA-256 of its canonical text, in hex; null if it has no canonical text. */
export function itemKey(job: KeyedJob, payload: string): string | null {
  const text = keyTexts(job)(payload);
  return text === null ? null : bytesToHex(sha256(utf8ToBytes(text)));
}

function canonicalText(text: string): string | null {
  const trimmed = text.trim();
  return isLosslessJson(trimmed) ? (canonicalize(JSON.parse(trimmed)) ?? null) : null;
}
