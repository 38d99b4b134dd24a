import type { ConnectionPools } from '@macbatch/connection';
import { sql } from 'drizzle-orm';
import { fileChunks, files } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { chunkedContent } from './chunked-content.ts';
import { copyOutRows } from './copy-out-rows.ts';
import { copyRows } from './copy-rows.ts';
import type { FileContent } from './file-content.ts';

/**
 * Bytes of each row but the last one of a file. Never changed: positions are computed from it. Small, because the
 * driver copies a row several times, and the garbage collector frees short buffers sooner.
 */
const ROW_BYTES = 64 * 1024;
const ROWS_A_CHUNK = 32;
/** Never changed: see `ChunkStore`. */
const CHUNK_BYTES = ROWS_A_CHUNK * ROW_BYTES;
/** Rows that one statement deletes. */
const ROWS_A_DELETE = 1000;

/** Keeps an upload from being removed while a chunk is stored. Returns no row when it was given up. */
const lockUpload = statement<{ file: string }, unknown>(
  (arg) => sql`
  select from ${files} where ${files.id} = ${arg.file('text')} and ${files.state} = 'uploading' for share`,
);

const deleteRows = statement<{ file: string; limit: number }, unknown>(
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
      const rows = Array.from({ length: Math.ceil(data.length / ROW_BYTES) }, (_, n) =>
        data.subarray(n * ROW_BYTES, (n + 1) * ROW_BYTES),
      );
      await connections.durable.transaction(async (tx) => {
        const locked = await lockUpload.run(tx, { file });
        if (locked.length === 0) throw new Error(`The upload of ${file} was given up before it ended.`);
        await copyRows(tx, file, position * ROWS_A_CHUNK, rows);
      });
    },
    async get(file, position, skip, length) {
      const firstRow = Math.floor(skip / ROW_BYTES);
      const nextRow = Math.ceil((skip + length) / ROW_BYTES);
      const first = position * ROWS_A_CHUNK;
      const rows = { first: first + firstRow, next: first + nextRow };
      const bytes = { skip: skip - firstRow * ROW_BYTES, length };
      return connections.durable.run((sql) => copyOutRows(sql, file, rows, bytes));
    },
    async deleteAll(file) {
      for (;;) {
        const deleted = await deleteRows.run(connections.long, { file, limit: ROWS_A_DELETE });
        if (deleted.length < ROWS_A_DELETE) return;
      }
    },
  });
}
