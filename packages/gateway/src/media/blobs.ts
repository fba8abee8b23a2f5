// The place of the contents of stored media: a folder, or a bucket.

/** The contents, by the id of their object. */
export type BlobStore = {
  /** Resolves with the number of bytes once the content is durable. Reads `content` no faster than it is written. */
  write(id: string, content: AsyncIterable<Uint8Array>): Promise<number>
  /** The same in place of the present content, all at once. */
  replace(id: string, content: Uint8Array): Promise<void>
  /** The bytes from `start` to before `end`. Throws BlobMissing if there is no such content. */
  read(id: string, start: number, end: number): AsyncIterable<Uint8Array>
  /** A content that does not exist is deleted already. */
  delete(id: string): Promise<void>
}

export class BlobMissing extends Error {
  override name = 'BlobMissing'
}

/** The place gave no answer in time. */
export class BlobsSilent extends Error {
  override name = 'BlobsSilent'
}
