import { EXIT, Failure } from '@macbatch/terminal';
import type { InputRecord } from '../formats/input-record.ts';
import { readRecords } from '../formats/read-records.ts';
import type { InputFile } from '../input/input-file.ts';
import type { InputItem, JobInput } from '../input/job-input.ts';

/** More columns are better written as JSON lines. */
const MAX_COLUMNS = 1000;

/** Finds the records of outcomes. Both come in the order of the input, so the input is read once. */
export class JoinedInput {
  readonly #items: AsyncGenerator<InputItem, void, undefined>;

  constructor(input: JobInput) {
    this.#items = input.items();
  }

  /** Returns the record of an item, which must come behind the one before. Throws a `Failure` if there is none. */
  async recordOf(id: string): Promise<InputRecord> {
    for (;;) {
      const { done, value } = await this.#items.next();
      if (done === true)
        throw new Failure(
          EXIT.usage,
          `The input has no record with the id ${JSON.stringify(id)}, or not in the order of the job. Name the files and options that the job was submitted with.`,
        );
      if (value.id === id) return value.record;
    }
  }

  async close(): Promise<void> {
    await this.#items.return();
  }
}

/** The columns of the input files, in the order of their first appearance. */
export interface JoinedColumns {
  readonly names: readonly string[];
  /** Whether each record has its id in a column. */
  readonly haveIds: boolean;
}

/** Reads which columns the input files have. Only JSON has to be read to its end for that. */
export async function joinedColumns({ files, idColumn }: JobInput): Promise<JoinedColumns> {
  const names = new Set<string>();
  let haveIds = true;
  for (const file of files) {
    for await (const columns of columnsOf(file)) {
      for (const column of columns) names.add(column);
      haveIds &&= columns.includes(idColumn);
      if (names.size > MAX_COLUMNS)
        throw new Failure(
          EXIT.usage,
          `${file.name} has more than ${MAX_COLUMNS} columns. Write JSON lines: -o NAME.jsonl`,
        );
    }
  }
  return { names: [...names], haveIds };
}

async function* columnsOf({ bytes, format }: InputFile): AsyncGenerator<readonly string[], void, undefined> {
  for await (const record of readRecords(bytes(), format)) {
    yield record.columns();
    if (record.isRow) return;
  }
}
