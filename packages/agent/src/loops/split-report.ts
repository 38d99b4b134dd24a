import type { ReportEntry } from '@macbatch/contract';

/**
 * Splits a report that the control plane refused to read into smaller ones that say the same. Returns none when
 * nothing is left to divide. `code` is the code of the refusal.
 */
export function splitReport(entries: readonly ReportEntry[], code: string): ReportEntry[][] {
  const [entry] = entries;
  if (entry === undefined) return [];
  if (entries.length > 1) return entries.map((each) => [each]);
  const [outcome] = entry.outcomes;
  if (outcome === undefined) return [];
  if (entry.outcomes.length > 1) {
    const half = Math.ceil(entry.outcomes.length / 2);
    // The error gives the task up, so it goes with the last outcomes.
    const { error: _, ...first } = { ...entry, outcomes: entry.outcomes.slice(0, half), final: false };
    return [[first], [{ ...entry, outcomes: entry.outcomes.slice(half) }]];
  }
  if (code !== 'body_too_large' || !('output' in outcome)) return [];
  const error = {
    code: 'output_too_large',
    message: 'the output is larger than the control plane accepts',
  };
  return [[{ ...entry, outcomes: [{ item_id: outcome.item_id, error }] }]];
}
