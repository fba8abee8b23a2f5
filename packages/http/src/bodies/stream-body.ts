// Reads the body of a request piece by piece, for bodies that are too large for memory: checks encoding, size and pace.
import { maxEncodedBytes } from '../framing/chunked.ts'
import type { HttpRequest } from '../request.ts'
import { BodyError } from './body-error.ts'
import {
  type BodyOptions,
  FREE_MS,
  MIN_BYTES_PER_MS,
  readInTime,
  tooLarge,
  tooMuchFraming,
  unsupported,
} from './read-body.ts'

export type StreamOptions = Pick<BodyOptions, 'limitBytes' | 'idleMs' | 'after' | 'now'>

/** Rejects with BodyFailure. The next piece is received only after a call: a slow reader slows the client down. */
export type BodyStream = { read(): Promise<Uint8Array | undefined> }

export class BodyFailure extends Error {
  override name = 'BodyFailure'
  readonly error: BodyError

  constructor(error: BodyError) {
    super(error.message)
    this.error = error
  }
}

/** Longer than for bodies in memory: a gigabyte at 10 Mbit/s takes 15 minutes. */
const MAX_MS = 3_600_000
/** What has arrived buys time at the least rate, up to this much: what came long ago does not excuse a trickle now. */
const WINDOW_MS = 60_000

const TOO_SLOW = new BodyError(
  'request_timeout',
  'The request body arrived too slowly: below 8 KiB/s over the last minute, or for longer than an hour.',
)
const COMPRESSED = unsupported('Uploads must not be compressed. Send the body without Content-Encoding.')

/** Throws BodyFailure for a body that is rejected before any of it is read. */
export function streamBody(
  { body, headers }: Pick<HttpRequest, 'body' | 'headers'>,
  options: StreamOptions,
): BodyStream {
  const { limitBytes, idleMs, now = () => performance.now() } = options
  const encoding = headers.get('content-encoding')?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') throw new BodyFailure(COMPRESSED)
  const announced = headers.get('content-length')
  if (announced !== null && Number(announced) > limitBytes) throw new BodyFailure(tooLarge(options))
  let size = 0
  /** Only the time in which the client was waited for: a slow disk must not look like a slow client. */
  let waitedMs = 0
  /** How long the client may be waited for until it is too slow. */
  let creditMs = FREE_MS

  return {
    async read() {
      const leftMs = Math.min(creditMs, MAX_MS - waitedMs)
      if (leftMs <= 0) throw new BodyFailure(TOO_SLOW)
      const startedAt = now()
      const piece = await readInTime(body, options, Math.min(idleMs, leftMs))
      const tookMs = now() - startedAt
      waitedMs += tookMs
      if (piece instanceof BodyError) throw new BodyFailure(piece)
      if (piece === undefined) return undefined
      creditMs = Math.min(WINDOW_MS, creditMs - tookMs + piece.length / MIN_BYTES_PER_MS)
      size += piece.length
      if (size > limitBytes) throw new BodyFailure(tooLarge(options))
      if (body.received > maxEncodedBytes(limitBytes)) throw new BodyFailure(tooMuchFraming(options))
      return piece
    },
  }
}
