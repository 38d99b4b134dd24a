import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { uuidv7 } from 'uuidv7';
import { files } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { ContentWriter, FileContent } from './file-content.ts';
import { type FileRow, fileColumns, type StoredFile, toFile } from './file-rows.ts';
import { removeFile } from './remove-files.ts';

/** Longer than the longest pause that the settings allow in an upload, which is one hour. */
const ABANDONED_AFTER_SECONDS = 2 * 60 * 60;
/** Bytes between two records of an upload's progress. */
const BYTES_A_RECORD = 8 * 1024 * 1024;

export interface NewFile {
  readonly owner: string;
  readonly purpose: string;
  readonly filename: string;
  /** Most bytes that the files of the owner may have together; null for no limit. */
  readonly quotaBytes: number | null;
}

/** The owner's files would have more bytes than its quota. */
export class FileQuotaExceeded extends Error {
  readonly quotaBytes: number;
  constructor(quotaBytes: number) {
    super(`The files of one group may have at most ${quotaBytes} bytes together.`);
    this.quotaBytes = quotaBytes;
  }
}

/** A file that is being written. Nobody else sees it. */
export interface FileUpload {
  readonly id: string;
  readonly bytes: number;
  /** Throws `FileQuotaExceeded`. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when every byte is stored. The file stays hidden. Throws `FileQuotaExceeded`. */
  end(): Promise<void>;
  /** Reads what was written. Call after `end`. */
  read(): AsyncIterable<Uint8Array>;
  /** Shows the file to its group. Call after `end`. */
  publish(details: {
    readonly filename?: string;
    readonly expiresInSeconds: number | null;
  }): Promise<StoredFile>;
  /** Removes the file. */
  abort(): Promise<void>;
}

type FileArguments = { id: string };

const insertFile = statement<
  FileArguments & { owner: string; purpose: string; filename: string; storage: string; seconds: number },
  never
>(
  (arg) => sql`
  insert into ${files} (id, owner, purpose, filename, state, storage, upload_until)
  values (${arg.id('text')}, ${arg.owner('text')}, ${arg.purpose('text')}, ${arg.filename('text')}, 'uploading',
    ${arg.storage('text')}, now() + make_interval(secs => ${arg.seconds('float8')}))`,
);

/** Returns the bytes of all files of the owner, with those of this upload. */
const recordProgress = statement<
  FileArguments & { bytes: number; seconds: number },
  { readonly other_bytes: number }
>(
  (arg) => sql`
  with recorded as (
    update ${files} set bytes = ${arg.bytes('float8')}, upload_until = now() + make_interval(secs => ${arg.seconds('float8')})
    where ${files.id} = ${arg.id('text')} and ${files.state} = 'uploading'
    returning ${files.owner}
  )
  select (
    select coalesce(sum(${files.bytes}), 0)::float8 from ${files}
    where ${files.owner} = recorded.owner and ${files.state} <> 'deleted' and ${files.id} <> ${arg.id('text')}
  ) as other_bytes
  from recorded`,
);

const publishFile = statement<FileArguments & { filename: string | null; seconds: number | null }, FileRow>(
  (arg) => sql`
  update ${files} set state = 'ready', upload_until = null, filename = coalesce(${arg.filename('text')}, ${files.filename}),
    expires_at = ${files.createdAt} + make_interval(secs => ${arg.seconds('float8')})
  where ${files.id} = ${arg.id('text')} and ${files.state} = 'uploading'
  returning ${fileColumns}`,
);

/** Begins to write a file. */
export async function uploadFile(
  connections: ConnectionPools,
  content: FileContent,
  file: NewFile,
): Promise<FileUpload> {
  const id = `file-${uuidv7().replaceAll('-', '')}`;
  await insertFile.run(connections.durable, {
    id,
    owner: file.owner,
    purpose: file.purpose,
    filename: file.filename,
    storage: content.storage,
    seconds: ABANDONED_AFTER_SECONDS,
  });
  return new Upload(connections, content, id, file.quotaBytes);
}

class Upload implements FileUpload {
  readonly id: string;
  readonly #connections: ConnectionPools;
  readonly #content: FileContent;
  readonly #quotaBytes: number | null;
  readonly #writer: ContentWriter;
  #bytes = 0;
  #recordedBytes = 0;

  constructor(connections: ConnectionPools, content: FileContent, id: string, quotaBytes: number | null) {
    this.id = id;
    this.#connections = connections;
    this.#content = content;
    this.#quotaBytes = quotaBytes;
    this.#writer = content.writer(id);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes - this.#recordedBytes >= BYTES_A_RECORD) await this.#record();
  }

  async end(): Promise<void> {
    await this.#writer.end();
    await this.#record();
  }

  read(): AsyncIterable<Uint8Array> {
    return this.#content.read(this.id, { start: 0, end: this.#bytes });
  }

  async publish(details: {
    readonly filename?: string;
    readonly expiresInSeconds: number | null;
  }): Promise<StoredFile> {
    const row = await publishFile.one(this.#connections.durable, {
      id: this.id,
      filename: details.filename ?? null,
      seconds: details.expiresInSeconds,
    });
    return toFile(row);
  }

  async abort(): Promise<void> {
    await this.#writer.abort();
    await removeFile(this.#connections, this.#content, this.id);
  }

  async #record(): Promise<void> {
    this.#recordedBytes = this.#bytes;
    const [row] = await recordProgress.run(this.#connections.durable, {
      id: this.id,
      bytes: this.#bytes,
      seconds: ABANDONED_AFTER_SECONDS,
    });
    if (row === undefined) throw new Error(`The upload of ${this.id} was given up before it ended.`);
    if (this.#quotaBytes !== null && row.other_bytes + this.#bytes > this.#quotaBytes)
      throw new FileQuotaExceeded(this.#quotaBytes);
  }
}
