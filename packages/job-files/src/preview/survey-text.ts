import type { JobHeader } from '@macbatch/contract';
import { counted, printable } from '@macbatch/terminal';
import type { Survey } from './survey.ts';

/** Characters of a payload that are shown. */
const SHOWN_CHARACTERS = 1000;

/** What is known of the ledger: counts, or why it was not asked. */
export type LedgerAnswer = { readonly asked: number; readonly known: number } | { readonly notAsked: string };

/** Describes what a job would hold, and shows its first items. */
export function surveyText(header: JobHeader, survey: Survey, ledger: LedgerAnswer): string {
  const { items, payloadBytes, columns, repeatedIds, repeatedItems, comparedItems } = survey;
  const params = header.params === undefined ? '' : `, params ${JSON.stringify(header.params)}`;
  const compared = comparedItems === null ? '' : ` (among the first ${comparedItems} items)`;
  const lines = [
    `${header.job_type} with ${header.model}${params}`,
    `${counted(items, 'item')}, ${bytesText(payloadBytes)} of payloads${columns.length === 0 ? '' : `, columns: ${columns.join(', ')}`}`,
    ...repeatedIds.map(({ id, first, second }) => `the id ${id} is used twice: ${first} and ${second}`),
    ...(repeatedIds.length === 0 ? [`no id is used twice${compared}`] : []),
    ...(repeatedItems === 0
      ? []
      : [`equal to an earlier one, so not run again: ${counted(repeatedItems, 'item')}${compared}`]),
    'notAsked' in ledger
      ? `the ledger was not asked: ${ledger.notAsked}`
      : `the ledger has the outputs of ${ledger.known} of ${counted(ledger.asked, 'different item')}`,
  ];
  const examples = survey.examples.map(({ id, payload }) => `\nitem ${id}\n${payloadText(payload)}`);
  return printableLines([...lines, ...examples].join('\n'));
}

/** A payload for people: the characters of a string, else the JSON text. */
function payloadText(json: string): string {
  const text = json.startsWith('"') ? String(JSON.parse(json)) : json;
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} …` : text;
  return shown
    .split(/\r?\n/)
    .map((line) => `  ${line}`)
    .join('\n');
}

function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  const [unit, size] = bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9];
  return `${(bytes / size).toFixed(1)} ${unit}`;
}
