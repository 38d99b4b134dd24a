import {
  type ItemError,
  MAX_MODEL_DIGEST_LENGTH,
  MAX_MODEL_NAME_LENGTH,
  type Outcome,
} from '@macbatch/contract';
import type { ItemEnd } from '../worker/item-end.ts';

/** Longest message of an error that is reported, in characters. */
const MAX_MESSAGE_LENGTH = 2000;
const MAX_CODE_LENGTH = 100;

/**
 * Converts the end of a run to one that the control plane can record. Truncates or omits metadata, and replaces
 * characters that a database column cannot hold. Does not change the output.
 */
export function reportableEnd(end: ItemEnd): ItemEnd {
  if (end.kind === 'outcome') return { ...end, outcome: reportableOutcome(end.outcome) };
  return 'error' in end ? { ...end, error: reportableError(end.error) } : end;
}

function reportableOutcome({ model, usage, ...outcome }: Outcome): Outcome {
  return {
    ...('error' in outcome ? { ...outcome, error: reportableError(outcome.error) } : outcome),
    ...(model === undefined ? {} : reportableModel(model)),
    ...(usage === undefined ? {} : { usage: reportableUsage(usage) }),
  };
}

function reportableModel({ name, digest }: NonNullable<Outcome['model']>): Pick<Outcome, 'model'> {
  if (name === '') return {};
  const isReportable = digest !== null && digest !== '' && digest.length <= MAX_MODEL_DIGEST_LENGTH;
  return {
    model: {
      // The end of a path identifies a model better than its start.
      name:
        name.length > MAX_MODEL_NAME_LENGTH
          ? plain(`…${name.slice(1 - MAX_MODEL_NAME_LENGTH)}`)
          : plain(name),
      digest: isReportable ? plain(digest) : null,
    },
  };
}

/** Omits infinite numbers, which JSON does not have. */
function reportableUsage(usage: NonNullable<Outcome['usage']> | null): Outcome['usage'] {
  if (usage === null) return null;
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => Number.isFinite(count)));
}

function reportableError({ code, message, response }: ItemError): ItemError {
  return {
    code: plain(code.slice(0, MAX_CODE_LENGTH)) || 'runtime_error',
    message: plain(message.slice(0, MAX_MESSAGE_LENGTH)),
    ...(response === undefined ? {} : { response }),
  };
}

/** Replaces U+0000, and lone surrogates, which truncation can leave. */
function plain(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}
