import { expect } from 'vitest';
import type { FileApp } from './file-app.ts';

export interface Part {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** A part without a file name is a field. */
  readonly filename?: string;
}

const BOUNDARY = 'boundary-of-the-test';

/** The header of a multipart form. */
export const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

/** The bytes of a multipart form, as OpenAI's client libraries send it. */
export function multipart(parts: readonly Part[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, content, filename }) => [
      Buffer.from(
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"` +
          (filename === undefined
            ? ''
            : `; filename="${filename}"\r\ncontent-type: application/octet-stream`) +
          '\r\n\r\n',
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
}

/** The parts of a valid upload of this file. */
export function batchFile(content: string | Uint8Array, filename = 'input.jsonl'): Part[] {
  return [
    { name: 'purpose', content: 'batch' },
    { name: 'file', content, filename },
  ];
}

/** Posts a form, or any other bytes, to `/v1/files`. */
export function postFile(
  control: FileApp,
  body: readonly Part[] | Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
): Promise<Response> {
  return control.send('POST', '/v1/files', Array.isArray(body) ? multipart(body) : body, {
    ...FORM,
    ...headers,
  });
}

/** Uploads the input file of a batch and returns its id. */
export async function uploaded(
  control: FileApp,
  content: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await postFile(control, batchFile(content), headers);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return (JSON.parse(text) as { id: string }).id;
}

interface OpenAiProblem {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** Expects a refusal in OpenAI's form with all four members. */
export async function openAiProblem(response: Response, status: number): Promise<OpenAiProblem> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json');
  const { error } = JSON.parse(text) as { error: OpenAiProblem };
  expect(new Set(Object.keys(error))).toEqual(new Set(['message', 'type', 'param', 'code']));
  return error;
}
