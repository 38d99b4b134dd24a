import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@macbatch/terminal';
import { testFolder } from '@macbatch/testing';
import { describe, expect, it } from 'vitest';
import { itemLines } from './item-lines.ts';

async function read(...lines: readonly string[]): Promise<string[]> {
  const path = join(testFolder(), 'items.jsonl');
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  const yielded: string[] = [];
  for await (const line of itemLines(path)) yielded.push(line);
  return yielded;
}

describe('itemLines', () => {
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

  it('keeps blank lines, so that line numbers stay those of the file', async () => {
    expect(await read('', '"a"', '', '"b"')).toEqual([
      '',
      '{"id":"line-2","payload":"a"}',
      '',
      '{"id":"line-4","payload":"b"}',
    ]);
  });

  it.each([
    ['{"id":', 'line 2 is not JSON'],
    ['{"id":"","payload":1}', 'line 2: id'],
    ['{"id":"a","payload":1,"more":2}', 'line 2: more'],
  ])('refuses %s and names the line', async (line, message) => {
    const reading = read('"first"', line);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toBeInstanceOf(Failure);
  });
});
