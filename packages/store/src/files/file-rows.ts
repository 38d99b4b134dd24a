import { sql } from 'drizzle-orm';
import { files } from '../database/schema.ts';

/** A file of the OpenAI interface whose upload is complete. */
export interface StoredFile {
  readonly id: string;
  /** The group of keys that owns the file; empty if the pool works without keys. */
  readonly owner: string;
  readonly purpose: string;
  readonly filename: string;
  readonly bytes: number;
  readonly storage: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

export interface FileRow {
  readonly id: string;
  readonly owner: string;
  readonly purpose: string;
  readonly filename: string;
  readonly bytes: number;
  readonly storage: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

/** The columns of a `FileRow`. */
export const fileColumns = sql`${files.id}, ${files.owner}, ${files.purpose}, ${files.filename}, ${files.bytes}::float8 as bytes,
  ${files.storage}, ${files.createdAt}, ${files.expiresAt}`;

/** SQL condition: the file can be read. */
export const fileIsReady = sql`${files.state} = 'ready' and (${files.expiresAt} is null or ${files.expiresAt} > now())`;

export function toFile(row: FileRow): StoredFile {
  return {
    id: row.id,
    owner: row.owner,
    purpose: row.purpose,
    filename: row.filename,
    bytes: row.bytes,
    storage: row.storage,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
