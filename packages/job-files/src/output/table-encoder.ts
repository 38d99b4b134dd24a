import type { JobType } from '@macbatch/core';
import { EXIT, Failure } from '@macbatch/terminal';
import { type Options, stringify } from 'csv-stringify/sync';
import { flattenOutput } from './flatten-output.ts';
import { mainText } from './main-text.ts';
import { cellText, memberTexts } from './outcome.ts';
import type { JoinedOutcome, OutcomeEncoder } from './outcome-encoder.ts';

const BEHIND_OUTPUT = ['status', 'error_code', 'error_message', 'model', 'finished_at'];

export interface TableForm {
  readonly delimiter: ',' | '\t';
  /** For spreadsheets: a byte order mark, line ends of Windows, and no cell that runs as a formula. */
  readonly excel: boolean;
  readonly jobType: JobType;
  /** Columns of the input, to be joined. Null: the column `id` alone. */
  readonly inputColumns: readonly string[] | null;
  /** The input has no column with the ids, so one is added. */
  readonly addsId: boolean;
  /** Columns of spread outputs, such as `output.label`. Null: one column `output`. */
  readonly outputColumns: readonly string[] | null;
}

/** Writes each outcome as a row: the columns of the input, then those of the outcome. */
export function tableEncoder(form: TableForm): OutcomeEncoder {
  const input = form.inputColumns ?? [];
  const own = [...(form.addsId ? ['id'] : []), ...(form.outputColumns ?? ['output']), ...BEHIND_OUTPUT];
  const options: Options = {
    delimiter: form.delimiter,
    record_delimiter: form.excel ? 'windows' : 'unix',
    escape_formulas: form.excel,
    // Otherwise a cell with another line end than that of the file would not be quoted.
    quoted_match: /[\r\n]/,
  };
  const row = ({ outcome, record }: JoinedOutcome): string[] => {
    const members = memberTexts(outcome.text);
    const output = members.get('output');
    const error = members.get('error');
    const errorMembers = error === undefined ? null : memberTexts(error);
    return [
      ...input.map((column) => record?.text(column) ?? (record?.columns().length === 0 ? record.json() : '')),
      ...(form.addsId ? [outcome.id] : []),
      ...outputCells(output, form),
      outcome.isOk ? 'ok' : 'error',
      cellText(errorMembers?.get('code')),
      cellText(errorMembers?.get('message')),
      cellText(members.get('model')),
      cellText(members.get('finished_at')),
    ];
  };
  const header = [...input, ...distinctFrom(own, input)];
  return {
    head: stringify([header], { ...options, bom: form.excel }),
    encode: (outcomes) => stringify(outcomes.map(row), options),
  };
}

function outputCells(output: string | undefined, { outputColumns, jobType }: TableForm): string[] {
  if (outputColumns === null) return [mainText(output, jobType)];
  const values = new Map(output === undefined ? [] : flattenOutput(output));
  const found = outputColumns.filter((column) => values.has(column));
  const unknown = found.length < values.size && [...values.keys()].find((name) => !found.includes(name));
  if (unknown)
    throw new Failure(
      EXIT.unavailable,
      `An outcome arrived meanwhile that has ${unknown}, for which there is no column. Run the same command again.`,
    );
  return outputColumns.map((column) => cellText(values.get(column)));
}

/** Gives columns of an outcome another name if the input has a column of that name. */
function distinctFrom(columns: readonly string[], input: readonly string[]): string[] {
  const taken = new Set(input);
  return columns.map((column) => {
    let name = column;
    for (let n = 1; taken.has(name); n += 1) name = n === 1 ? `outcome_${column}` : `outcome_${column}_${n}`;
    taken.add(name);
    return name;
  });
}
