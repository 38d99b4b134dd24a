import { EXIT, Failure } from '@macbatch/terminal';
import type { InputRecord } from '../formats/input-record.ts';
import { missingColumn } from './missing-column.ts';

/** A prompt with places for the columns of a record. */
export interface PromptTemplate {
  /** Texts and columns in turn; the first and the last are texts. */
  readonly parts: readonly string[];
}

const PLACE = /\{\{\s*([^{}]*[^{}\s])\s*\}\}/;

/** Parses a prompt such as `Sort this: {{review}}`. Throws a `Failure` if it names no column. */
export function parsePrompt(text: string, option: string): PromptTemplate {
  const parts = text.split(new RegExp(PLACE, 'g'));
  const unclosed = parts.find((part, n) => n % 2 === 0 && part.includes('{{'));
  if (unclosed !== undefined && !unclosed.includes('}}'))
    throw new Failure(
      EXIT.usage,
      `${option} opens {{ without closing it, at ${JSON.stringify(unclosed.slice(unclosed.lastIndexOf('{{')).slice(0, 30))}. Write {{column}}.`,
    );
  if (parts.length === 1)
    throw new Failure(
      EXIT.usage,
      `${option} names no column, so every item would be the same. Write {{column}} where the text of a column goes.`,
    );
  return { parts };
}

/** Fills in the columns of a record. Throws a `Failure` if it lacks one. */
export function filledPrompt({ parts }: PromptTemplate, record: InputRecord): string {
  return parts.map((part, n) => (n % 2 === 0 ? part : (record.text(part) ?? missing(record, part)))).join('');
}

function missing(record: InputRecord, column: string): never {
  throw missingColumn(record, column, `{{${column}}}`);
}
