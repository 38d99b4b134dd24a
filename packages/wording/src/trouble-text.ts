import type { TroubleView } from '@macbatch/contract';
import { duration } from './duration.ts';
import { printable } from './printable.ts';

/** What a person can do about a trouble, by its code. */
const HINTS: Readonly<Record<string, string>> = {
  unauthorized: 'Give the worker the right key: --endpoint-key-env NAME, or "key" in MACBATCH_ENDPOINTS.',
  forbidden: 'Give the worker a key that may use the model, or see why the server refuses the request.',
  quota_exhausted: 'Add credit or raise the quota at the provider.',
  model_not_found:
    'Load the model on the server, or name the server’s model: --map ALIAS=MODEL, or "models" in MACBATCH_ENDPOINTS.',
  not_supported: 'Check the URL of the model server: it usually ends in /v1.',
  not_a_model_server: 'Sign in to the network if it asks for that, or correct the URL of the model server.',
  certificate_refused: 'Trust the authority that issued it, or correct the URL.',
  server_unreachable: 'Start the model server, or correct its URL.',
  model_loading: 'Wait until the model is loaded.',
  timeout:
    'See the log of the model server; if its answers take longer, raise "timeoutMs" in MACBATCH_ENDPOINTS.',
  out_of_memory: 'Free memory on that machine, or use a smaller model.',
  model_load_failed: 'See the log of the model server.',
  rejects_all_items:
    'Check the params of the job and the settings of the model server. If no other worker can run the items, they end with their errors.',
  rate_limited: 'Nothing: the worker keeps to the limit.',
  server_busy: 'Nothing: the worker sends fewer requests.',
};

/** Returns what a person can do about a trouble. */
export function troubleHint({ code }: Pick<TroubleView, 'code'>): string {
  return HINTS[code] ?? 'See the log of the model server.';
}

/** Formats the message of a model server, since when it fails, and when the worker tries again. */
export function troubleText(trouble: TroubleView): string {
  const { endpoint, message, since_seconds: since, next_try_seconds: next, needs_attention } = trouble;
  const tries =
    next === null
      ? 'the worker does not try again before it is restarted'
      : `the worker keeps trying until it works, next ${next <= 0 ? 'now' : `in ${duration(Math.ceil(next))}`}`;
  const server = message.includes(endpoint.replace(/^openai-endpoint /, '')) ? '' : ` (${endpoint})`;
  const lead = needs_attention ? 'cannot run it' : 'does not run it now';
  return printable(
    `the model server ${lead}${server}, for ${duration(Math.floor(since))}: ${message}; ${tries}. ${troubleHint(trouble)}`,
  );
}
