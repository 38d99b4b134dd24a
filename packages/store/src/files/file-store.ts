import type { ConnectionPools } from '@macbatch/connection';
import type { ByteRange, FileContent } from './file-content.ts';
import type { StoredFile } from './file-rows.ts';
import { postgresContent } from './postgres-content.ts';
import { type FilePage, findFile, listFiles } from './read-files.ts';
import { deleteFile, type FileDeletion, removeOverdueFiles } from './remove-files.ts';
import { type FileUpload, type NewFile, uploadFile } from './upload-file.ts';

/** The files of the OpenAI interface. */
export interface FileStore {
  /** Begins to write a file. */
  upload(file: NewFile): Promise<FileUpload>;
  /** Returns null when there is no such file, or its upload is not complete. */
  find(id: string): Promise<StoredFile | null>;
  /** Without files whose upload is not complete. */
  list(page: FilePage): Promise<StoredFile[]>;
  read(file: StoredFile, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Deletes a file, unless a batch still has to read it. */
  delete(file: StoredFile): Promise<FileDeletion>;
  /** Removes expired files, abandoned uploads and what is left of deleted files. Returns how many. */
  removeOverdue(): Promise<number>;
}

/** Opens the store of files. New files go to `content`, by default into the database. */
export function createFileStore(connections: ConnectionPools, content?: FileContent): FileStore {
  const inDatabase = postgresContent(connections);
  const current = content ?? inDatabase;
  const contentOf = (storage: string): FileContent => {
    const found = [current, inDatabase].find((each) => each.storage === storage);
    if (found === undefined)
      throw new Error(`The bytes of a file are in the storage ${storage}, which is not configured.`);
    return found;
  };
  return {
    upload: (file) => uploadFile(connections, current, file),
    find: (id) => findFile(connections, id),
    list: (page) => listFiles(connections, page),
    read: (file, range = { start: 0, end: file.bytes }) => contentOf(file.storage).read(file.id, range),
    delete: (file) => deleteFile(connections, contentOf(file.storage), file.id),
    removeOverdue: () => removeOverdueFiles(connections, contentOf),
  };
}
