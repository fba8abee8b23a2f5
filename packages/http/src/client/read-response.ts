// Reads a whole response body under a size limit.

import { appendPiece } from '../framing/buffers.ts'
import { maxEncodedBytes } from '../framing/chunked.ts'
import type { UpstreamResponse } from './upstream-response.ts'

/** Bodies up to this size are read without reporting progress: the idle timeout applies to the whole body. */
const MAX_WHOLE_BYTES = 1024 * 1024

/** Told of each piece of the body, and of blanks before it. */
type Watch = { received(piece: Uint8Array): void; resetIdle(): void }

/** The whole body; undefined if it is larger than `limit`, in which case the rest is not read. */
export function readAtMost(
  response: UpstreamResponse,
  limit: number,
  watch?: Watch,
): Uint8Array | undefined | Promise<Uint8Array | undefined> {
  const announced = response.length ?? Number(response.header('content-length') ?? Number.NaN)
  if (announced > limit) {
    response.cancel()
    return undefined
  }
  // Reading the body of an error response may be cancelled.
  if (response.readWhole && announced <= MAX_WHOLE_BYTES && response.status < 300) return response.readWhole()
  const first = response.read()
  // Most bodies arrive in one read, together with the head.
  if (first instanceof Uint8Array && first.length === announced) return first
  return readPieces(response, first, limit, watch)
}

async function readPieces(
  response: UpstreamResponse,
  first: ReturnType<UpstreamResponse['read']>,
  limit: number,
  watch: Watch | undefined,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  let size = 0
  let hasBegun = false
  for (let piece = await first; piece; piece = await response.read()) {
    hasBegun ||= !isBlank(piece)
    if (hasBegun) watch?.received(piece)
    // Slow services send spaces or empty lines to keep the connection alive.
    else watch?.resetIdle()
    size += piece.length
    if (size > limit || (response.received ?? 0) > maxEncodedBytes(limit)) {
      response.cancel()
      return undefined
    }
    appendPiece(pieces, piece)
  }
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
}

const SPACE = 0x20

const isBlank = (piece: Uint8Array): boolean => piece.every((byte) => byte <= SPACE)
