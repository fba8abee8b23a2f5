// Bodies that are written piece by piece, whether the pieces are there already or are still being made.

import type { Sink } from './response.ts'

export type WriteOptions = {
  /** Nothing more is read once it has disconnected. Absent: everything is read whatever the client does. */
  client?: { readonly isDisconnected: boolean }
  /** Waits until the client reads on. Absent: for as long as it takes. */
  drained?(blocked: Promise<unknown>): Promise<unknown>
}

/**
 * Gives the last piece, which leaves with the end of the response. The next piece is not read while the client does not read.
 * What came before a break is written: else a break behind the first piece would leave the client without a response.
 */
export async function writePieces(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sink: Sink,
  { client, drained = (blocked) => blocked }: WriteOptions = {},
): Promise<Uint8Array> {
  let last: Uint8Array = NOTHING
  try {
    for await (const piece of pieces) {
      if (client?.isDisconnected) break
      const blocked = sink.write(last)
      last = piece
      if (blocked) await drained(blocked)
    }
  } catch (error) {
    void sink.write(last)
    throw error
  }
  return last
}

/** The first piece is read now, so that what cannot be read fails before the response begins. undefined: there are no bytes. */
export async function readFirst(pieces: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | undefined> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await iterator.next()
  return first.done ? undefined : withFirst(first.value, iterator)
}

async function* withFirst(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

const NOTHING = new Uint8Array(0)
