import type { ConnectionPools } from '@macbatch/connection';
import { type SQL, sql } from 'drizzle-orm';
import { batches, files } from '../database/schema.ts';
import { type NoArguments, statement } from '../database/statement.ts';
import type { FileContent } from './file-content.ts';

type FileArguments = { id: string };

/** Runs before `hideFile` in the same transaction: that must see every batch that was created before this lock. */
const lockReadyFile = statement<FileArguments, unknown>(
  (arg) =>
    sql`select from ${files} where ${files.id} = ${arg.id('text')} and ${files.state} = 'ready' for update`,
);

/** SQL condition: a batch still has to read the file. */
const isBeingRead = sql`exists (select from ${batches} where ${batches.inputFileId} = ${files.id} and ${batches.state} = 'validating')`;

const hideFile = statement<FileArguments, unknown>(
  (arg) => sql`
  update ${files} set state = 'deleted' where ${files.id} = ${arg.id('text')} and ${files.state} = 'ready' and not ${isBeingRead}
  returning 1`,
);

const hideUpload = statement<FileArguments, unknown>(
  (arg) =>
    sql`update ${files} set state = 'deleted' where ${files.id} = ${arg.id('text')} and ${files.state} <> 'deleted'`,
);

const deleteHidden = statement<FileArguments, unknown>(
  (arg) => sql`delete from ${files} where ${files.id} = ${arg.id('text')} and ${files.state} = 'deleted'`,
);

/** Hides up to 100 files for which a condition holds. Files that are locked are left for later. */
const hideFilesWhere = (condition: SQL) =>
  statement<NoArguments, unknown>(
    () => sql`
    update ${files} set state = 'deleted'
    where ${files.id} in (select ${files.id} from ${files} where ${condition} limit 100 for update skip locked)`,
  );
const hideExpired = hideFilesWhere(
  sql`${files.state} = 'ready' and ${files.expiresAt} <= now() and not ${isBeingRead}`,
);
const hideAbandoned = hideFilesWhere(
  sql`${files.state} <> 'ready' and ${files.state} = 'uploading' and ${files.uploadUntil} <= now()`,
);

const readHidden = statement<NoArguments, { readonly id: string; readonly storage: string }>(
  () => sql`
  select ${files.id}, ${files.storage} from ${files} where ${files.state} <> 'ready' and ${files.state} = 'deleted'
  order by ${files.id} limit 100`,
);

/** What became of a request to delete a file. */
export type FileDeletion = 'deleted' | 'being_read';

/**
 * Deletes a file, unless a batch still has to read it. The file is hidden first: if this process ends while the bytes
 * are being deleted, `removeOverdueFiles` deletes the rest.
 */
export async function deleteFile(
  connections: ConnectionPools,
  content: FileContent,
  id: string,
): Promise<FileDeletion> {
  const hidden = await connections.durable.transaction(async (tx) => {
    const found = await lockReadyFile.run(tx, { id });
    if (found.length === 0) return true; // another request deletes it
    return (await hideFile.run(tx, { id })).length > 0;
  });
  if (!hidden) return 'being_read';
  await deleteBytes(connections, content, id);
  return 'deleted';
}

/** Removes a file whether its upload is complete or not. Only for files that no client knows yet. */
export async function removeFile(
  connections: ConnectionPools,
  content: FileContent,
  id: string,
): Promise<void> {
  await hideUpload.run(connections.durable, { id });
  await deleteBytes(connections, content, id);
}

/** Removes files that have expired, abandoned uploads, and what is left of deleted files. Returns how many. */
export async function removeOverdueFiles(
  connections: ConnectionPools,
  contentOf: (storage: string) => FileContent,
): Promise<number> {
  await hideExpired.run(connections.durable);
  await hideAbandoned.run(connections.durable);
  const hidden = await readHidden.run(connections.durable);
  for (const { id, storage } of hidden) await deleteBytes(connections, contentOf(storage), id);
  return hidden.length;
}

async function deleteBytes(connections: ConnectionPools, content: FileContent, id: string): Promise<void> {
  await content.delete(id);
  await deleteHidden.run(connections.durable, { id });
}
