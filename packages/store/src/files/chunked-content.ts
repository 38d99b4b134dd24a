import type { ByteRange, ContentWriter, FileContent } from './file-content.ts';

/** Stores files as numbered chunks. */
export interface ChunkStore {
  /** Stored with each file. */
  readonly storage: string;
  /** Bytes of each chunk of a file but the last. Never changed: positions are computed from it. */
  readonly chunkBytes: number;
  put(fileId: string, position: number, data: Buffer): Promise<void>;
  /** Reads `length` bytes of a chunk behind the first `skip`. Resolves with fewer bytes if they are not stored. */
  get(fileId: string, position: number, skip: number, length: number): Promise<Buffer>;
  /** Deletes all chunks of a file. Deleting again changes nothing. */
  deleteAll(fileId: string): Promise<void>;
}

/** Keeps the bytes of files in a store of chunks. */
export function chunkedContent(chunks: ChunkStore): FileContent {
  return {
    storage: chunks.storage,
    writer: (fileId) => new ChunkWriter(chunks, fileId),
    read: (fileId, range) => readChunks(chunks, fileId, range),
    delete: (fileId) => chunks.deleteAll(fileId),
  };
}

/**
 * Collects bytes into chunks. Stores one chunk while the next one is collected. Uses two buffers in turn: the garbage
 * collector would let more than sixty megabytes of used ones pile up.
 */
class ChunkWriter implements ContentWriter {
  readonly #chunks: ChunkStore;
  readonly #file: string;
  #position = 0;
  #chunk: Buffer;
  /** Free while no chunk is being stored. */
  #other: Buffer | null = null;
  #used = 0;
  #storing: Promise<void> = Promise.resolve();

  constructor(chunks: ChunkStore, file: string) {
    this.#chunks = chunks;
    this.#file = file;
    this.#chunk = Buffer.allocUnsafe(chunks.chunkBytes);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { chunkBytes } = this.#chunks;
    for (let from = 0; from < bytes.length; ) {
      const room = Math.min(chunkBytes - this.#used, bytes.length - from);
      this.#chunk.set(bytes.subarray(from, from + room), this.#used);
      this.#used += room;
      from += room;
      if (this.#used === chunkBytes) await this.#flush();
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
    const full = this.#chunk;
    const data = full.subarray(0, this.#used);
    this.#chunk = this.#other ?? Buffer.allocUnsafe(this.#chunks.chunkBytes);
    this.#other = full;
    this.#used = 0;
    this.#storing = this.#chunks.put(this.#file, this.#position, data);
    this.#position += 1;
    // The error is thrown where the promise is awaited. Until then it must not count as unhandled.
    this.#storing.catch(() => undefined);
  }
}

async function* readChunks(
  chunks: ChunkStore,
  file: string,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  let next = start;
  const fetch = async () => {
    const skip = next % chunks.chunkBytes;
    const length = Math.min(chunks.chunkBytes - skip, end - next);
    const position = Math.floor(next / chunks.chunkBytes);
    next += length;
    const data = await chunks.get(file, position, skip, length);
    if (data.length !== length) throw new Error(`The file ${file} was deleted while it was being read.`);
    return data;
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
