/** A range of bytes: `start` is included, `end` is not. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Writes the bytes of one file in order. */
export interface ContentWriter {
  /** The bytes may be changed after the promise has resolved. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when every byte is stored. */
  end(): Promise<void>;
  /** Gives up the upload. `delete` then removes what is stored. */
  abort(): Promise<void>;
}

/** Where the bytes of files are. The table `files` knows everything else about them. */
export interface FileContent {
  /** Stored with each file, so that its bytes are found after the setting has changed. */
  readonly storage: string;
  writer(fileId: string): ContentWriter;
  /** Yields the bytes of the range. Throws if a part of the range is not stored. */
  read(fileId: string, range: ByteRange): AsyncIterable<Uint8Array>;
  /** Deletes all bytes of a file, those of an unfinished upload included. Deleting again changes nothing. */
  delete(fileId: string): Promise<void>;
}
