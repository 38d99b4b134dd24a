import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { fileChunks, files } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { chunkedContent } from './chunked-content.ts';
import type { FileContent } from './file-content.ts';

/** Never changed: see `ChunkStore`. */
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
  return chunkedContent({
    storage: 'postgres',
    chunkBytes: CHUNK_BYTES,
    async put(file, position, data) {
      const stored = await insertChunk.run(connections.durable, { file, position, data });
      if (stored.length === 0) throw new Error(`The upload of ${file} was given up before it ended.`);
    },
    async get(file, position, skip, length) {
      const [row] = await readChunk.run(connections.durable, { file, position, skip, length });
      return row?.data ?? Buffer.alloc(0);
    },
    async deleteAll(file) {
      for (;;) {
        const deleted = await deleteChunks.run(connections.long, { file, limit: CHUNKS_A_DELETE });
        if (deleted.length < CHUNKS_A_DELETE) return;
      }
    },
  });
}
