/**
 * Small enough for the lines of a piece to be collected as young garbage. With pieces of 2 MB, the validation of a file
 * needs twice the memory and twice the time.
 */
const PIECE_BYTES = 64 * 1024;

/** Cuts chunks into small pieces. */
export async function* smallPieces(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
}
