import { itemIdProblem, objectMembers, parseItem } from '@macbatch/core';
import type { InputRecord } from '../formats/input-record.ts';
import { placeFailure } from '../formats/place.ts';
import { type BatchForm, batchItem } from './batch-line.ts';
import { DEFAULT_ID_COLUMN, type ItemForm, type PayloadForm } from './item-form.ts';
import { columnsText, missingColumn } from './missing-column.ts';
import { filledPrompt } from './prompt-template.ts';
import { refuseOtherForms } from './refuse-other-forms.ts';

type MadePayload = Exclude<PayloadForm, { readonly kind: 'batch' }>;

/** The line of a submission, and the id in it. */
export interface ItemText {
  readonly id: string;
  readonly text: string;
}

/**
 * Makes the line of a submission from a record: `{"id": …, "payload": …}`. A record that is such an object stays as it
 * is. A number as an id is the text of the number as it is written. `idPrefix` goes before ids that are line numbers.
 * Throws a `Failure` that names the place of the record.
 */
export function itemText(record: InputRecord, form: ItemForm, idPrefix: string): ItemText {
  if (form.payload.kind === 'batch') return batchItemText(record, form.payload.batch);
  if (form.payload.kind === 'record') refuseOtherForms(record);
  const written = writtenItem(record, form);
  if (written === null) return madeItem(record, form.idColumn, form.payload, idPrefix);
  const parsed = parseItem(written);
  if (!parsed.ok) throw placeFailure(record.place, `${parsed.field ?? 'the item'} ${parsed.problem}`);
  return { id: parsed.item.id, text: written };
}

function batchItemText(record: InputRecord, batch: BatchForm): ItemText {
  const { id: idText, body } = batchItem(record, batch);
  const id = String(JSON.parse(idText));
  const problem = itemIdProblem(id);
  if (problem !== null) throw placeFailure(record.place, `custom_id ${problem}`);
  return { id, text: `{"id":${idText},"payload":${body}}` };
}

/** The text of a record that has an id and a payload already, with the id as a string. */
function writtenItem(record: InputRecord, { idColumn, payload }: ItemForm): string | null {
  if (record.isRow || payload.kind !== 'record' || idColumn !== null) return null;
  if (!record.columns().includes('payload')) return null;
  const text = record.json();
  const ids = objectMembers(text).filter(({ name }) => name === 'id');
  if (ids.length > 1) throw placeFailure(record.place, 'id is given twice');
  const [id] = ids.map(({ value }) => value);
  if (id === undefined) return text;
  const idText = asIdText(text.slice(id.start, id.end), 'id', record);
  return `${text.slice(0, id.start)}${idText}${text.slice(id.end)}`;
}

function madeItem(
  record: InputRecord,
  idColumn: string | null,
  payload: MadePayload,
  idPrefix: string,
): ItemText {
  const idText = ownId(record, idColumn) ?? JSON.stringify(`${idPrefix}${record.defaultId}`);
  const id = String(JSON.parse(idText));
  const problem = itemIdProblem(id);
  if (problem !== null) throw placeFailure(record.place, `id ${problem}`);
  const text = `{"id":${idText},"payload":${payloadText(record, payload)}}`;
  return { id, text };
}

function ownId(record: InputRecord, idColumn: string | null): string | null {
  const column = idColumn ?? DEFAULT_ID_COLUMN;
  if (record.columns().filter((name) => name === column).length > 1)
    throw placeFailure(record.place, `${column} is given twice`);
  const value = record.value(column);
  if (value !== null) return asIdText(value, column, record);
  if (idColumn !== null) throw missingColumn(record, idColumn, '--id');
  return null;
}

/** The JSON text of an id. A number beyond 2^53 would change if it were parsed. */
function asIdText(value: string, column: string, record: InputRecord): string {
  if (value === '""' && record.isRow) throw placeFailure(record.place, `has no ${column}: the cell is empty`);
  if (value.startsWith('"')) return value;
  if (/^[-\d]/.test(value)) return `"${value}"`;
  throw placeFailure(record.place, `${column} is ${value.slice(0, 20)}, but must be a text or a number`);
}

function payloadText(record: InputRecord, form: MadePayload): string {
  switch (form.kind) {
    case 'prompt':
      return JSON.stringify(filledPrompt(form.template, record));
    case 'column':
      return textOf(record, form.column) ?? missing(record, form.column);
    case 'record':
      if (!record.isRow || form.rowColumns.length === 0) return record.json().trim();
      for (const column of form.rowColumns) {
        const text = textOf(record, column);
        if (text !== null) return text;
      }
      throw placeFailure(
        'the header',
        `has no column ${form.rowColumns.join(' or ')}. Add --text COLUMN, or --prompt 'Text with {{column}}'. ${columnsText(record)}`,
      );
  }
}

/** The JSON string of a column's text: the text of the file if it is a string already. */
function textOf(record: InputRecord, column: string): string | null {
  const value = record.value(column);
  if (value === null || value.startsWith('"')) return value;
  return JSON.stringify(record.text(column));
}

function missing(record: InputRecord, column: string): never {
  throw missingColumn(record, column, '--text');
}
