// Reads the body of a request: checks content type, encoding, size and pace before anything parses it.
import { appendPiece } from '../framing/buffers.ts'
import { maxEncodedBytes } from '../framing/chunked.ts'
import type { HttpRequest, RequestBody, RequestHeaders } from '../request.ts'
import { BodyError, NO_MEMORY } from './body-error.ts'
import { type Encoding, openDecoder } from './content-decoding.ts'

/** The content types that a path accepts. `expected` tells a client what to send. */
export type ContentTypes = { accepts: (essence: string) => boolean; expected: string }

export const JSON_BODY: ContentTypes = {
  accepts: (essence) => essence === 'application/json' || /^[a-z0-9.-]+\/[a-z0-9._-]+\+json$/.test(essence),
  expected: 'Content-Type: application/json',
}

export type BodyOptions = {
  /** Applies to the body as sent and to the decoded body. */
  limitBytes: number
  /** How many times as long as sent a compressed body may be, beyond 1 MiB. */
  maxRatio?: number | undefined
  contentTypes: ContentTypes
  /** Idle timeout: the longest pause between two pieces. */
  idleMs: number
  /** The longest time for the whole body, at whatever pace. Default: as long as the minimum rate allows. */
  totalMs?: number
  /** Memory accounting: `sent` bytes have arrived and occupy `bytes` after decoding. Returns false when memory is exhausted. */
  slot?: { receive(sent: number, bytes: number): boolean }
  /** Clock in milliseconds; default: the clock of the process. */
  now?: () => number
  /** Schedules `run` and returns a function that cancels it. */
  after: (ms: number, run: () => void) => () => void
}

/** Every body may take this long, or as long as it needs at the minimum average rate, up to a maximum. */
export const FREE_MS = 30_000
export const MIN_BYTES_PER_MS = (8 * 1024) / 1_000
const MAX_MS = 600_000

const allowedMs = (received: number): number => Math.min(MAX_MS, Math.max(FREE_MS, received / MIN_BYTES_PER_MS))

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
}

/** The headers that describe a body. */
export type BodyHeaders = { type: string | null; encoding: string | null; length: string | null }

export function bodyHeaders(headers: RequestHeaders): BodyHeaders {
  const length = headers.get('content-length')
  return { type: headers.get('content-type'), encoding: headers.get('content-encoding'), length }
}

/**
 * Gives the decoded bytes or an error; a promise only if the body has not arrived yet. After an error the server discards
 * the rest of the body, so the response can be sent at once and reaches a client that is still sending.
 */
export function readBody(
  { body, headers }: Pick<HttpRequest, 'body' | 'headers'>,
  options: BodyOptions,
  announced: BodyHeaders = bodyHeaders(headers),
): Uint8Array | BodyError | Promise<Uint8Array | BodyError> {
  const wrongType = checkContentType(announced.type, options.contentTypes)
  if (wrongType !== undefined) return wrongType
  const encoding = encodingOf(announced.encoding)
  if (encoding instanceof BodyError) return encoding
  // The announced length can only reject a request: bytes are counted as they arrive.
  const length = announced.length === null ? undefined : Number(announced.length)
  if (length !== undefined && length > options.limitBytes) return tooLarge(options)

  const { idleMs, totalMs = FREE_MS } = options
  const first = readInTime(body, options, Math.min(idleMs, totalMs, FREE_MS))
  // Fast path: most bodies arrive with their heads, or in one piece.
  if (encoding === undefined && first instanceof Uint8Array && first.length === length) return checkSize(first, options)
  return readInPieces(body, first, encoding, options)
}

function checkSize(bytes: Uint8Array, options: BodyOptions): Uint8Array | BodyError {
  if (bytes.length === 0) return EMPTY
  return bytes.length > options.limitBytes ? tooLarge(options) : bytes
}

function checkContentType(header: string | null, types: ContentTypes): BodyError | undefined {
  // Fast path: what nearly every client sends.
  if (header === 'application/json' && types === JSON_BODY) return undefined
  if (header === null) return unsupported(`The request has no content type. Send ${types.expected}.`)
  const [essence = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  if (!types.accepts(essence)) return unsupported(`Unsupported content type. Send ${types.expected}.`)
  // A body decoded with another character set than it was checked in would be another body.
  const isForeign = (parameter: string) => /^charset\s*=/.test(parameter) && !/^charset=("?)utf-?8\1$/.test(parameter)
  if (parameters.some(isForeign)) return unsupported('Unsupported charset. Send charset=utf-8.')
  return undefined
}

function encodingOf(header: string | null): Encoding | undefined | BodyError {
  if (header === null) return undefined
  const name = header.trim().toLowerCase()
  if (name === '' || name === 'identity') return undefined
  const encoding = Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name] : undefined
  if (encoding !== undefined) return encoding
  return unsupported(
    name.includes(',')
      ? 'The body has more than one content encoding. Send one of gzip, deflate, br or zstd.'
      : 'Unsupported content encoding. Send gzip, deflate, br, zstd, or an uncompressed body.',
  )
}

type Piece = Uint8Array | undefined | BodyError

/** The next piece, if it arrives in time. */
export function readInTime(
  body: RequestBody,
  options: Pick<BodyOptions, 'after'>,
  withinMs: number,
): Piece | Promise<Piece> {
  const reading = readOrDisconnected(body)
  return reading instanceof Promise ? inTime(reading, options, withinMs) : reading
}

function inTime(reading: Promise<Piece>, options: Pick<BodyOptions, 'after'>, withinMs: number): Promise<Piece> {
  return new Promise((resolve) => {
    const cancel = options.after(withinMs, () => resolve(TIMED_OUT))
    // A failure is handled even long after the timeout: an unhandled rejection would end the process.
    reading.then(
      (piece) => {
        cancel()
        resolve(piece)
      },
      () => {
        cancel()
        resolve(DISCONNECTED)
      },
    )
  })
}

function readOrDisconnected(body: RequestBody): Piece | Promise<Piece> {
  try {
    return body.read()
  } catch {
    return DISCONNECTED
  }
}

async function readInPieces(
  body: RequestBody,
  first: Piece | Promise<Piece>,
  encoding: Encoding | undefined,
  options: BodyOptions,
): Promise<Uint8Array | BodyError> {
  const now = options.now ?? (() => performance.now())
  const startedAt = now()
  const pieces: Uint8Array[] = []
  let size = 0
  const { maxRatio = Number.POSITIVE_INFINITY } = options
  let isBloated = false
  const reserve = (bytes: number): boolean => {
    isBloated ||= bytes > UNCOUNTED_RATIO_BYTES && bytes > size * maxRatio
    return !isBloated && (options.slot?.receive(size, bytes) ?? true)
  }
  const decoder = encoding === undefined ? undefined : openDecoder(encoding, options.limitBytes, reserve)
  const stop = (error: BodyError) => {
    decoder?.discard()
    return error
  }
  for (let reading = first; ; ) {
    const piece = await reading
    if (piece === undefined) break
    if (piece instanceof BodyError) return stop(piece)
    size += piece.length
    if (size > options.limitBytes) return stop(tooLarge(options))
    if (body.received > maxEncodedBytes(options.limitBytes)) return stop(tooMuchFraming(options))
    if (decoder !== undefined) {
      if (!(await decoder.write(piece))) break
    } else if (reserve(size)) appendPiece(pieces, piece)
    else return stop(NO_MEMORY)
    const leftMs = startedAt + Math.min(allowedMs(size), options.totalMs ?? MAX_MS) - now()
    if (leftMs <= 0) return stop(TOO_SLOW)
    reading = readInTime(body, options, Math.min(options.idleMs, leftMs))
  }
  if (decoder === undefined) return checkSize(joined(pieces), options)
  if (size === 0) return stop(EMPTY)
  const decoded = await decoder.end()
  if (decoded === 'too_large') return stop(tooLarge(options))
  if (isBloated) return stop(tooCompressed(maxRatio))
  if (decoded === 'no_memory') return stop(NO_MEMORY)
  if (decoded === 'corrupt') return stop(CORRUPT)
  return checkSize(decoded, options)
}

/** A body of this size is inflated, whatever it was sent as. */
const UNCOUNTED_RATIO_BYTES = 1024 * 1024

const tooCompressed = (ratio: number) =>
  new BodyError(
    'request_too_large',
    `The body is compressed to less than a ${ratio}th of its size, which is not accepted for a request that is free of charge, or whose account lacks funds. Send it uncompressed.`,
  )

const joined = (pieces: readonly Uint8Array[]): Uint8Array =>
  pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)

const EMPTY = new BodyError('bad_request', 'The request has no body.')
const CORRUPT = new BodyError('bad_request', 'The body is not valid in its content encoding.')
const TIMED_OUT = new BodyError('request_timeout', 'The request body took too long to arrive.')
const TOO_SLOW = new BodyError(
  'request_timeout',
  'The request body arrived too slowly: below 8 KiB/s, or for longer than 10 minutes.',
)
const DISCONNECTED = new BodyError('client_closed_request', 'The client disconnected before the body was complete.')

export const unsupported = (message: string) => new BodyError('unsupported_media_type', message)

export const tooLarge = ({ limitBytes }: Pick<BodyOptions, 'limitBytes'>) =>
  new BodyError('request_too_large', `The request body exceeds the limit of ${limitBytes} bytes.`)

export const tooMuchFraming = ({ limitBytes }: Pick<BodyOptions, 'limitBytes'>) =>
  new BodyError(
    'request_too_large',
    `The request body exceeds the limit of ${limitBytes} bytes, with the framing of its chunks. Send larger chunks.`,
  )
