import { expect, it } from 'vitest';
import { readOutcome } from './outcome.ts';
import { type TableForm, tableEncoder } from './table-encoder.ts';

const FORM: TableForm = {
  delimiter: ',',
  excel: false,
  jobType: 'chat',
  inputColumns: null,
  addsId: true,
  outputColumns: null,
};

function encoded(output: string, form: Partial<TableForm> = {}): string {
  const line = `{"id":"a","status":"ok","output":${output},"model":null,"finished_at":null}`;
  return tableEncoder({ ...FORM, ...form }).encode([{ outcome: readOutcome(line), record: null }]);
}

it('shows the answer of chat, the label of classify, and the JSON of any other output', () => {
  expect(encoded('{"text":"fine","cut":true}')).toBe('a,fine,ok,,,,\n');
  expect(encoded('{"label":"spam"}', { jobType: 'classify' })).toBe('a,spam,ok,,,,\n');
  expect(encoded('{"text":[1.0]}')).toBe('a,"{""text"":[1.0]}",ok,,,,\n');
  expect(encoded('[9007199254740993]', { jobType: 'embed' })).toBe('a,[9007199254740993],ok,,,,\n');
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('lets no spreadsheet run %j as a formula', (text) => {
  const cell = encoded(JSON.stringify({ text }), { excel: true });
  expect(cell.replaceAll('"', '')).toBe(`a,'${text},ok,,,,\r\n`);
  expect(encoded(JSON.stringify({ text })).replaceAll('"', '')).toBe(`a,${text},ok,,,,\n`);
});

it('drops no value for which there is no column', () => {
  const outputColumns = ['output.a'];
  expect(encoded('{"a":1}', { outputColumns })).toBe('a,1,ok,,,,\n');
  expect(() => encoded('{"a":1,"b":2}', { outputColumns })).toThrow(
    'has output.b, for which there is no column',
  );
});

it('gives a column of an outcome another name if the input has it', () => {
  const inputColumns = ['status', 'outcome_status', 'output'];
  expect(tableEncoder({ ...FORM, inputColumns }).head).toBe(
    'status,outcome_status,output,id,outcome_output,outcome_status_2,error_code,error_message,model,finished_at\n',
  );
});
