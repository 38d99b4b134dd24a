import { FileUploadFields } from '@macbatch/contract';
import { FileQuotaExceeded, type FileStore, type StoredFile } from '@macbatch/store';
import { readMultipart } from './multipart.ts';
import { OpenAiRefusal } from './openai-refusal.ts';
import { invalidFieldRefusal } from './read-input.ts';
import { roomCheck } from './room-check.ts';
import { UploadCheck } from './upload-check.ts';

/** Limits of the files of the OpenAI interface. */
export interface FileLimits {
  readonly maxFileBytes: number;
  /** Longest line of an input file, in bytes. */
  readonly maxFileLineBytes: number;
  /** Bytes that the files of one group may have together; null for no limit. */
  readonly fileQuotaBytes: number | null;
  /** Time until a file expires, unless its upload says otherwise; null: never. */
  readonly fileExpirySeconds: number | null;
}

const DEFAULT_FILENAME = 'upload.jsonl';
const MAX_FILENAME_LENGTH = 255;

interface FileRequest {
  readonly contentType: string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
  readonly owner: string;
  readonly limits: FileLimits;
  readonly hasRoom: () => Promise<boolean>;
}

/** Stores the file of a multipart form, or nothing of it. Throws `OpenAiRefusal` and `RefusedRequest`. */
export async function storeUpload(files: FileStore, request: FileRequest): Promise<StoredFile> {
  const { limits } = request;
  let upload: Awaited<ReturnType<FileStore['upload']>> | undefined;
  try {
    const form = await readMultipart(
      request.contentType,
      request.body,
      async (chunks, filename, fieldsBefore) => {
        // A wrong purpose that comes before the file is refused before the file is stored.
        if (fieldsBefore.has('purpose')) parseFields(fieldsBefore);
        upload = await files.upload({
          owner: request.owner,
          purpose: 'batch',
          filename: storableFilename(filename),
          quotaBytes: limits.fileQuotaBytes,
        });
        const check = new UploadCheck(limits.maxFileLineBytes);
        const checkRoom = roomCheck(request.hasRoom);
        for await (const chunk of chunks) {
          await checkRoom(upload.bytes);
          if (upload.bytes + chunk.length > limits.maxFileBytes) throw tooLarge(limits.maxFileBytes);
          check.add(chunk);
          await upload.write(chunk);
        }
        check.end();
        await upload.end();
      },
    );
    if (form.files > 1)
      throw new OpenAiRefusal(400, 'invalid_multipart', 'The form has more than one file.', 'file');
    if (upload === undefined)
      throw new OpenAiRefusal(400, 'missing_required_parameter', 'The form has no file named file.', 'file');
    const { expires_after: expiresAfter } = parseFields(form.fields);
    return await upload.publish({ expiresInSeconds: expiresAfter?.seconds ?? limits.fileExpirySeconds });
  } catch (error) {
    await upload?.abort();
    if (error instanceof FileQuotaExceeded)
      throw new OpenAiRefusal(429, 'quota_exceeded', `${error.message} Delete files that are not needed.`);
    throw error;
  }
}

/** Validates the fields of the form. `expires_after[seconds]` is a member of `expires_after`. */
function parseFields(fields: ReadonlyMap<string, string>): FileUploadFields {
  const expiry = [...fields].flatMap(([name, value]) => {
    const [, member] = /^expires_after\[(.+)\]$/.exec(name) ?? [];
    return member === undefined ? [] : [[member, value] as const];
  });
  const parsed = FileUploadFields.safeParse({
    purpose: fields.get('purpose'),
    ...(expiry.length === 0 ? {} : { expires_after: Object.fromEntries(expiry) }),
  });
  if (!parsed.success) throw invalidFieldRefusal(parsed.error);
  return parsed.data;
}

function tooLarge(maxFileBytes: number): OpenAiRefusal {
  return new OpenAiRefusal(413, 'file_too_large', `A file may have at most ${maxFileBytes} bytes.`, 'file');
}

/** A file name that the database can hold. */
function storableFilename(filename: string | undefined): string {
  const name = (filename ?? '').toWellFormed().replaceAll('\u0000', '').slice(0, MAX_FILENAME_LENGTH);
  return name === '' ? DEFAULT_FILENAME : name.toWellFormed();
}
