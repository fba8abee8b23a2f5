// Reading a reply whose size somebody else decides.

import { appendPiece } from '../framing/append-piece.ts'
import { maxEncodedBytes } from '../framing/chunked.ts'
import type { UpstreamResponse } from './upstream-response.ts'

/** Bodies up to this size are read without watching their progress: the idle limit holds for all of it. */
const MAX_WHOLE_BYTES = 1024 * 1024

/** Told of each piece that comes, and of signs of life. */
type Watch = { received(piece: Uint8Array): void; resetIdle(): void }

/** The whole body; undefined when it is larger than `limit`, in which case the rest is not read. */
export function readAtMost(
  reply: UpstreamResponse,
  limit: number,
  watch?: Watch,
): Uint8Array | undefined | Promise<Uint8Array | undefined> {
  const announced = reply.length ?? Number(reply.header('content-length') ?? Number.NaN)
  if (announced > limit) {
    reply.cancel()
    return undefined
  }
  // The body of an error may be given up while it is read.
  if (reply.readWhole && announced <= MAX_WHOLE_BYTES && reply.status < 300) return reply.readWhole()
  const first = reply.read()
  // Most answers come in one read, and are there already.
  if (first instanceof Uint8Array && first.length === announced) return first
  return readOn(reply, first, limit, watch)
}

async function readOn(
  reply: UpstreamResponse,
  first: ReturnType<UpstreamResponse['read']>,
  limit: number,
  watch: Watch | undefined,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  let size = 0
  let hasBegun = false
  for (let piece = await first; piece; piece = await reply.read()) {
    hasBegun ||= !isBlank(piece)
    if (hasBegun) watch?.received(piece)
    // Services that take their time to answer send blanks or empty lines meanwhile.
    else watch?.resetIdle()
    size += piece.length
    if (size > limit || (reply.received ?? 0) > maxEncodedBytes(limit)) {
      reply.cancel()
      return undefined
    }
    appendPiece(pieces, piece)
  }
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
}

const SPACE = 0x20

const isBlank = (piece: Uint8Array): boolean => piece.every((byte) => byte <= SPACE)
