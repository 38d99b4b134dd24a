import type { ConnectionPools } from '@macbatch/connection';
import { type SQL, sql } from 'drizzle-orm';
import { files } from '../database/schema.ts';
import { statement } from '../database/statement.ts';
import { type FileRow, fileColumns, fileIsReady, type StoredFile, toFile } from './file-rows.ts';

export interface FilePage {
  /** Only files of this owner; null for all. */
  readonly owner: string | null;
  /** Only files with this purpose; null for all. */
  readonly purpose: string | null;
  /** Only files behind this one in the order; null for all. */
  readonly after: string | null;
  readonly limit: number;
  /** By age: `desc` begins with the newest file. */
  readonly order: 'asc' | 'desc';
}

type PageArguments = { owner: string | null; purpose: string | null; after: string | null; limit: number };

const findReadyFile = statement<{ id: string }, FileRow>(
  (arg) => sql`select ${fileColumns} from ${files} where ${files.id} = ${arg.id('text')} and ${fileIsReady}`,
);

const listReadyFiles = (behind: SQL, order: SQL) =>
  statement<PageArguments, FileRow>(
    (arg) => sql`
    select ${fileColumns} from ${files}
    where ${fileIsReady} and (${arg.owner('text')} is null or ${files.owner} = ${arg.owner('text')})
      and (${arg.purpose('text')} is null or ${files.purpose} = ${arg.purpose('text')})
      and (${arg.after('text')} is null or ${files.id} ${behind} ${arg.after('text')})
    order by ${files.id} ${order} limit ${arg.limit('int')}`,
  );
const LISTS = {
  asc: listReadyFiles(sql`>`, sql`asc`),
  desc: listReadyFiles(sql`<`, sql`desc`),
};

/** Reads a file whose upload is complete; null if there is none with this id. */
export async function findFile({ durable }: ConnectionPools, id: string): Promise<StoredFile | null> {
  const [row] = await findReadyFile.run(durable, { id });
  return row === undefined ? null : toFile(row);
}

/** Reads a page of files whose upload is complete. */
export async function listFiles(
  { durable }: ConnectionPools,
  { order, ...page }: FilePage,
): Promise<StoredFile[]> {
  return (await LISTS[order].run(durable, page)).map(toFile);
}
