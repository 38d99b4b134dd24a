import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '../testing/json-text.ts';
import { parseBatchLine } from './batch-line.ts';

const CHAT = '/v1/chat/completions';

describe('parseBatchLine', () => {
  it('A4: keeps the exact text of any body', () => {
    fc.assert(
      fc.property(jsonText, fc.string(), (value, customId) => {
        const body = `{ "model" : "m" ,"x":${value} }`;
        const line = `{"other":1,"body": ${body} ,"url":"${CHAT}","custom_id":${JSON.stringify(`a${customId.replaceAll('\u0000', '').toWellFormed()}`)},"method":"POST"}`;
        expect(parseBatchLine(line, CHAT)).toMatchObject({ ok: true, line: { body, model: 'm' } });
      }),
    );
  });

  it('A4: answers any text with a line or an error, and never throws', () => {
    const member = fc.constantFrom('custom_id', 'method', 'url', 'body', 'x');
    const value = fc.oneof(jsonText, fc.constantFrom('"POST"', `"${CHAT}"`, '{"model":"m"}', '"a"'));
    const object = fc
      .array(fc.tuple(member, value))
      .map((members) => `{${members.map(([name, json]) => `"${name}":${json}`).join(',')}}`);
    fc.assert(
      fc.property(fc.oneof(object, jsonText, fc.string({ unit: 'binary' })), (text) => {
        const parsed = parseBatchLine(text, CHAT);
        if (parsed.ok) expect(JSON.parse(parsed.line.body)).toMatchObject({ model: parsed.line.model });
        else expect(parsed.error.message).toMatch(/\.$/);
      }),
      { numRuns: 500 },
    );
  });

  it('A4: does not take members of the prototype for members of the line', () => {
    const line = `{"__proto__":{"custom_id":"a"},"method":"POST","url":"${CHAT}","body":{"__proto__":{"model":"m"}}}`;
    expect(parseBatchLine(line, CHAT)).toMatchObject({ ok: false, error: { param: 'custom_id' } });
    const withId = line.replace('{"__proto__":{"custom_id":"a"}', '{"custom_id":"a"');
    expect(parseBatchLine(withId, CHAT)).toMatchObject({ ok: false, error: { param: 'body.model' } });
  });
});
