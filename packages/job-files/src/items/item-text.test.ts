import { Failure } from '@macbatch/terminal';
import { describe, expect, it } from 'vitest';
import { jsonLines } from '../formats/json-lines.ts';
import { defaultForm } from './item-form.ts';
import { itemText } from './item-text.ts';

async function read(...lines: readonly string[]): Promise<string[]> {
  async function* bytes() {
    yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
  }
  const yielded: string[] = [];
  for await (const record of jsonLines(bytes())) yielded.push(itemText(record, defaultForm('chat'), '').text);
  return yielded;
}

describe('itemText of JSON lines', () => {
  it('keeps a line with id and payload as it is', async () => {
    const line = '{ "payload": 1.0, "id": "a" }';
    expect(await read(line)).toEqual([line]);
  });

  it('wraps a value without a payload member as the payload, and takes the id from its id member or the line number', async () => {
    expect(await read('"text"', '{"id":7,"text":"x"}', '[1]')).toEqual([
      '{"id":"line-1","payload":"text"}',
      '{"id":"7","payload":{"id":7,"text":"x"}}',
      '{"id":"line-3","payload":[1]}',
    ]);
  });

  it.each(['12345678901234567890', '9007199254740993', '1e400', '1.0', '-0', '1e21'])(
    'I7: takes the number %s as an id as it is written',
    async (id) => {
      expect(await read(`{"id":${id},"text":"x"}`)).toEqual([
        `{"id":"${id}","payload":{"id":${id},"text":"x"}}`,
      ]);
      expect(await read(`{ "id" : ${id}, "payload":1.0}`)).toEqual([`{ "id" : "${id}", "payload":1.0}`]);
    },
  );

  it('I7: keeps ids apart that are equal as JavaScript numbers', async () => {
    expect(await read('{"id":9007199254740992}', '{"id":9007199254740993}')).toEqual([
      '{"id":"9007199254740992","payload":{"id":9007199254740992}}',
      '{"id":"9007199254740993","payload":{"id":9007199254740993}}',
    ]);
  });

  it.each([
    [
      'a request of OpenAI',
      '{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{}}',
      'leave out --type',
    ],
    ['an array of records', '[{"text":"a"},{"text":"b"}]', '--format json'],
    ['the start of an array over several lines', '[', '--format json'],
  ])('refuses %s at line 1 and says how to convert the file', async (_what, line, hint) => {
    await expect(read(line)).rejects.toThrow(/^line 1 is /);
    await expect(read(line)).rejects.toThrow(hint);
  });

  it('accepts arrays as payloads', async () => {
    const messages = '[{"role":"user","content":"hi"}]';
    expect(await read(messages, '["a","b"]')).toEqual([
      `{"id":"line-1","payload":${messages}}`,
      '{"id":"line-2","payload":["a","b"]}',
    ]);
  });

  it('counts blank lines, so that line numbers match the file', async () => {
    expect(await read('', '"a"', '', '"b"')).toEqual([
      '{"id":"line-2","payload":"a"}',
      '{"id":"line-4","payload":"b"}',
    ]);
  });

  it.each([
    ['{"id":', 'line 2 is not JSON'],
    ['{"id":"","payload":1}', 'line 2: id'],
    ['{"id":"a","payload":1,"more":2}', 'line 2: more'],
    ['{"id":1,"payload":1,"more":2}', 'line 2: more'],
    ['{"payload":1}', 'line 2: id is missing'],
    ['{"id":true,"text":"x"}', 'line 2: id is true'],
    ['{"id":null,"text":"x"}', 'line 2: id is null'],
    ['{"id":1,"id":2,"text":"x"}', 'line 2: id is given twice'],
    ['{"id":{"$oid":"6"},"text":"x"}', 'line 2: id is {"$oid":"6"}'],
  ])('refuses %s and names the line', async (line, message) => {
    const reading = read('"first"', line);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toBeInstanceOf(Failure);
  });
});
