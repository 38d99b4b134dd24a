import { flattenOutput } from './flatten-output.ts';
import { memberTexts, type Outcome } from './outcome.ts';
import type { JoinedOutcome, OutcomeEncoder } from './outcome-encoder.ts';

/** Writes each outcome as a line of JSON. A joined record is the member `input`, exactly as the file has it. */
export function jsonlEncoder({ flatten }: { readonly flatten: boolean }): OutcomeEncoder {
  const line = ({ outcome, record }: JoinedOutcome): string => {
    const text = flatten ? flattened(outcome) : outcome.text;
    if (record === null) return `${text}\n`;
    const id = `{"id":${JSON.stringify(outcome.id)},`;
    return `${id}"input":${record.json().trim()},${text.slice(id.length)}\n`;
  };
  return { head: '', encode: (outcomes) => outcomes.map(line).join('') };
}

function flattened({ text }: Outcome): string {
  const members = [...memberTexts(text)].flatMap(([name, value]) =>
    name === 'output' ? flattenOutput(value) : [[name, value] as const],
  );
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}
