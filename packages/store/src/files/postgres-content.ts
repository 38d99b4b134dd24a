import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { fileChunks, files } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import type { ByteRange, ContentWriter, FileContent } from './file-content.ts';

/** Bytes of each chunk of a file but the last. Never changed: positions are computed from it. */
const CHUNK_BYTES = 1024 * 1024;
/** Chunks that one statement deletes. */
const CHUNKS_A_DELETE = 64;

type ChunkName = { file: string; position: number };

/** Inserts nothing when the upload was given up in the meantime. */
const insertChunk = statement<ChunkName & { data: Buffer }, unknown>(
  (arg) => sql`
  insert into ${fileChunks} (file_id, position, data)
  select ${arg.file('text')}, ${arg.position('int')}, ${arg.data('bytea')}
  where exists (select from ${files} where ${files.id} = ${arg.file('text')} and ${files.state} = 'uploading')
  returning 1`,
);

/** `skip` and `length` count bytes of the chunk. */
const readChunk = statement<ChunkName & { skip: number; length: number }, { readonly data: Buffer }>(
  (arg) => sql`
  select substring(${fileChunks.data} from ${arg.skip('int')} + 1 for ${arg.length('int')}) as data from ${fileChunks}
  where ${fileChunks.fileId} = ${arg.file('text')} and ${fileChunks.position} = ${arg.position('int')}`,
);

const deleteChunks = statement<{ file: string; limit: number }, unknown>(
  (arg) => sql`
  delete from ${fileChunks} where ${fileChunks.fileId} = ${arg.file('text')} and ${fileChunks.position} in (
    select ${fileChunks.position} from ${fileChunks} where ${fileChunks.fileId} = ${arg.file('text')}
    order by ${fileChunks.position} limit ${arg.limit('int')}
  )
  returning 1`,
);

/** Keeps the bytes of files in the database, so that nothing else has to be set up. */
export function postgresContent(connections: ConnectionPools): FileContent {
  return {
    storage: 'postgres',
    writer: (fileId) => new ChunkWriter(connections, fileId),
    read: (fileId, range) => readChunks(connections, fileId, range),
    async delete(fileId) {
      for (;;) {
        const deleted = await deleteChunks.run(connections.long, { file: fileId, limit: CHUNKS_A_DELETE });
        if (deleted.length < CHUNKS_A_DELETE) return;
      }
    },
  };
}

/** Collects bytes into chunks. Stores one chunk while the next one is collected. */
class ChunkWriter implements ContentWriter {
  readonly #connections: ConnectionPools;
  readonly #file: string;
  #position = 0;
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;
  #storing: Promise<void> = Promise.resolve();

  constructor(connections: ConnectionPools, file: string) {
    this.#connections = connections;
    this.#file = file;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const room = Math.min(CHUNK_BYTES - this.#used, bytes.length - from);
      this.#chunk.set(bytes.subarray(from, from + room), this.#used);
      this.#used += room;
      from += room;
      if (this.#used === CHUNK_BYTES) await this.#flush();
    }
  }

  async end(): Promise<void> {
    if (this.#used > 0) await this.#flush();
    await this.#storing;
  }

  async abort(): Promise<void> {
    await this.#storing.catch(() => undefined);
  }

  async #flush(): Promise<void> {
    await this.#storing;
    const data = this.#chunk.subarray(0, this.#used);
    this.#chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    this.#used = 0;
    this.#storing = this.#store(data, this.#position);
    this.#position += 1;
    // The error is thrown where the promise is awaited. Until then it must not count as unhandled.
    this.#storing.catch(() => undefined);
  }

  async #store(data: Buffer, position: number): Promise<void> {
    const stored = await insertChunk.run(this.#connections.durable, { file: this.#file, position, data });
    if (stored.length === 0) throw new Error(`The upload of ${this.#file} was given up before it ended.`);
  }
}

async function* readChunks(
  connections: ConnectionPools,
  file: string,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  let next = start;
  const fetch = async () => {
    const skip = next % CHUNK_BYTES;
    const length = Math.min(CHUNK_BYTES - skip, end - next);
    const chunk = { file, position: Math.floor(next / CHUNK_BYTES), skip, length };
    next += length;
    const [row] = await readChunk.run(connections.durable, chunk);
    if (row?.data.length !== length) throw new Error(`The file ${file} was deleted while it was being read.`);
    return row.data;
  };
  let ahead = next < end ? fetch() : null;
  ahead?.catch(() => undefined);
  while (ahead !== null) {
    const data = await ahead;
    ahead = next < end ? fetch() : null;
    ahead?.catch(() => undefined);
    yield data;
  }
}
