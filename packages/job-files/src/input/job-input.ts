import { Failure, type Terminal } from '@macbatch/terminal';
import { type FoundFormat, formatText, type InputFormat } from '../formats/format.ts';
import type { InputRecord } from '../formats/input-record.ts';
import { readRecords } from '../formats/read-records.ts';
import { BATCH_ID_COLUMN, type BatchForm, batchFormOf, isBatchLine } from '../items/batch-line.ts';
import { DEFAULT_ID_COLUMN, type ItemForm } from '../items/item-form.ts';
import { type ItemText, itemText } from '../items/item-text.ts';
import { chosen, type RecordChoice } from '../items/record-choice.ts';
import { type InputFile, openInput } from './input-file.ts';

/** An item and the record that it was made of. */
export interface InputItem extends ItemText {
  readonly record: InputRecord;
  /** Where the record is: `line 4`, or `b.csv: line 4` if there are several files. */
  readonly place: string;
}

/** The input files of a job, read as one. */
export interface JobInput extends AsyncDisposable {
  readonly files: readonly InputFile[];
  /** What the lines have in common if they are requests of OpenAI's Batch API. */
  readonly batch: BatchForm | null;
  /** The column that holds the ids, if there is one. */
  readonly idColumn: string;
  /** Reads the files again at each call, and yields the items in order. */
  items(): AsyncGenerator<InputItem, void, undefined>;
  /** Reads the files again to find where the item at this position is. Positions start at 1. */
  placeOf(position: number): Promise<string>;
}

/** How the files of a job are read. */
export interface InputOptions {
  readonly format: InputFormat | null;
  readonly form: ItemForm;
  /**
   * Lines may be requests of OpenAI's Batch API. The members are what the job already says about them.
   *
   * @default null
   */
  readonly batchLines?: Partial<BatchForm> | null;
  readonly choice: RecordChoice;
}

/** Opens the input files of a job. Throws a `Failure` if a file is missing or its format is not clear. */
export async function openJobInput(
  names: readonly string[],
  { format, form: givenForm, batchLines = null, choice }: InputOptions,
  terminal: Terminal,
): Promise<JobInput> {
  const files: InputFile[] = [];
  let batch: BatchForm | null = null;
  const close = async () => {
    for (const file of files) await file[Symbol.asyncDispose]();
  };
  try {
    for (const name of names) files.push(await openInput(name, format, terminal));
    if (batchLines !== null) batch = await batchFormIn(files, batchLines);
  } catch (error) {
    await close();
    throw error;
  }

  const form: ItemForm = batch === null ? givenForm : { idColumn: null, payload: { kind: 'batch', batch } };
  async function* all(): AsyncGenerator<InputItem, void, undefined> {
    for (const file of files) yield* itemsOf(file, form, files.length > 1);
  }
  let total: number | null = null;
  async function* items(): AsyncGenerator<InputItem, void, undefined> {
    if (choice.kind === 'sample') total ??= await countRecords(files);
    yield* chosen(all(), choice, total ?? 0);
  }
  return {
    files,
    batch,
    idColumn: batch === null ? (form.idColumn ?? DEFAULT_ID_COLUMN) : BATCH_ID_COLUMN,
    items,
    async placeOf(position) {
      let n = 0;
      for await (const { place } of items()) {
        n += 1;
        if (n === position) return place;
      }
      return `item ${position}`;
    },
    [Symbol.asyncDispose]: close,
  };
}

/** What the lines have in common, if the first one is a request of OpenAI's Batch API. */
async function batchFormIn(
  files: readonly InputFile[],
  given: Partial<BatchForm>,
): Promise<BatchForm | null> {
  for (const { bytes, format } of files)
    for await (const first of readRecords(bytes(), format))
      return isBatchLine(first) ? batchFormOf(first, given) : null;
  return null;
}

/** Describes the formats of the files for people: `reviews.csv: CSV`. */
export function formatsText(
  files: readonly { readonly name: string; readonly format: FoundFormat }[],
): string {
  return files
    .map(({ name, format }) => `${name === '-' ? 'standard input' : name}: ${formatText(format)}`)
    .join(', ');
}

async function* itemsOf(
  file: InputFile,
  form: ItemForm,
  isOneOfSeveral: boolean,
): AsyncGenerator<InputItem, void, undefined> {
  const prefix = isOneOfSeveral ? file.name : null;
  try {
    for await (const record of readRecords(file.bytes(), file.format))
      yield {
        ...itemText(record, form, prefix === null ? '' : `${prefix}:`),
        record,
        place: prefix === null ? record.place : `${prefix}: ${record.place}`,
      };
  } catch (error) {
    if (prefix === null || !(error instanceof Failure)) throw error;
    throw new Failure(error.exitCode, `${prefix}: ${error.message}`);
  }
}

async function countRecords(files: readonly InputFile[]): Promise<number> {
  let count = 0;
  for (const { bytes, format } of files) for await (const _ of readRecords(bytes(), format)) count += 1;
  return count;
}
