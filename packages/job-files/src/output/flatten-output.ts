import { memberTexts } from './outcome.ts';

/** Outputs can be nested deeper. What is below stays one JSON text. */
const MAX_DEPTH = 5;

/**
 * Spreads an output into named values: `output.label`, `output.scores.spam`. An output that is not an object is one
 * value, `output`. Arrays are not spread. All values are JSON texts, unchanged.
 */
export function flattenOutput(json: string, name = 'output', depth = 0): [name: string, json: string][] {
  if (!json.startsWith('{') || json === '{}' || depth === MAX_DEPTH) return [[name, json]];
  return [...memberTexts(json)].flatMap(([member, value]) =>
    flattenOutput(value, `${name}.${member}`, depth + 1),
  );
}
