// Members that compress well are zstd streams, written and read in pieces.
import { pipeline, Readable } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** The last part of the name of a compressed member. */
export const ZSTD = '.zst'

// `pipeline` ends the second stream with an error of the first one, which its reader then gets.
export const compressed = (content: Pieces): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(content), createZstdCompress(), () => {})

export const decompressed = (content: Pieces): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(content), createZstdDecompress(), () => {})
