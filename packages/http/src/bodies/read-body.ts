// Reading a request's body: type, encoding, size and patience, decided before anything looks inside.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { growingBytes } from '@trivium/protocol/framing/growing-bytes.ts'
import { maxEncodedBytes } from '../framing/chunked.ts'
import type { HttpRequest, RequestBody, RequestHeaders } from '../request.ts'
import { type Encoding, openDecoder } from './content-decoding.ts'

/** Which content types a path takes; `say` is what to send, in words. */
export type ContentTypes = { accepts: (essence: string) => boolean; expected: string }

export const JSON_BODY: ContentTypes = {
  accepts: (essence) => essence === 'application/json' || /^[a-z0-9.-]+\/[a-z0-9._-]+\+json$/.test(essence),
  expected: 'Content-Type: application/json',
}

export type BodyOptions = {
  /** Of the body as sent, and of the body as decoded. */
  limitBytes: number
  contentTypes: ContentTypes
  /** How long the sender may be silent. */
  idleMs: number
  /** Told of what has arrived: so much was sent and takes so many bytes, decoded. false: there is no memory for it. */
  slot?: { receive(sent: number, bytes: number): boolean }
  /** In milliseconds; absent: the process's own clock. */
  now?: () => number
  /** Runs something later; gives the function that calls it off. */
  after: (ms: number, run: () => void) => () => void
}

/** A body has this long, or as long as it takes at the slowest pace that is allowed, on average; and never longer than the longest. */
const FREE_MS = 30_000
const SLOWEST_BYTES_PER_MS = (8 * 1024) / 1_000
const LONGEST_MS = 600_000

/** A body that takes longer than this since it began is too slow. */
const allowedMs = (received: number): number => Math.min(LONGEST_MS, Math.max(FREE_MS, received / SLOWEST_BYTES_PER_MS))

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
}

/** What the headers say of a body. */
export type BodyHeaders = { type: string | null; encoding: string | null; length: string | null }

export function bodyHeaders(headers: RequestHeaders): BodyHeaders {
  const length = headers.get('content-length')
  return { type: headers.get('content-type'), encoding: headers.get('content-encoding'), length }
}

/**
 * The decoded bytes, or why not. After an error the rest of the body may still be on its way: the server takes it in
 * and throws it away, so the answer can be sent at once, and reaches a client that is still sending.
 */
export function readBody(
  { body, headers }: Pick<HttpRequest, 'body' | 'headers'>,
  options: BodyOptions,
  announced: BodyHeaders = bodyHeaders(headers),
): Uint8Array | ErrorInfo | Promise<Uint8Array | ErrorInfo> {
  const wrongType = checkContentType(announced.type, options.contentTypes)
  if (wrongType !== undefined) return wrongType
  const encoding = encodingOf(announced.encoding)
  if (typeof encoding === 'object') return encoding
  // Only a hint, and only believed when it speaks against the sender; what is read is counted.
  const length = announced.length === null ? undefined : Number(announced.length)
  if (length !== undefined && length > options.limitBytes) return tooLarge(options)

  const first = readInTime(body, options, Math.min(options.idleMs, FREE_MS))
  // Most bodies have come with their heads, or come in one piece.
  if (encoding === undefined && first instanceof Uint8Array && first.length === length) return checkSize(first, options)
  return readInPieces(body, first, encoding, options)
}

function checkSize(bytes: Uint8Array, options: BodyOptions): Uint8Array | ErrorInfo {
  if (bytes.length === 0) return EMPTY
  return bytes.length > options.limitBytes ? tooLarge(options) : bytes
}

function checkContentType(header: string | null, types: ContentTypes): ErrorInfo | undefined {
  // What nearly everybody sends.
  if (header === 'application/json' && types === JSON_BODY) return undefined
  if (header === null) return unsupported(`The request has no content type. Send ${types.expected}.`)
  const [essence = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  if (!types.accepts(essence)) return unsupported(`This content type is not understood here. Send ${types.expected}.`)
  // A body read as another character set than it was checked in is another body.
  const isForeign = (parameter: string) => /^charset\s*=/.test(parameter) && !/^charset=("?)utf-?8\1$/.test(parameter)
  if (parameters.some(isForeign)) return unsupported('Only charset=utf-8 is understood.')
  return undefined
}

function encodingOf(header: string | null): Encoding | undefined | ErrorInfo {
  if (header === null) return undefined
  const name = header.trim().toLowerCase()
  if (name === '' || name === 'identity') return undefined
  const encoding = Object.hasOwn(ENCODINGS, name) ? ENCODINGS[name] : undefined
  if (encoding !== undefined) return encoding
  return unsupported(
    name.includes(',')
      ? 'The body is encoded more than once. Send it with one Content-Encoding: gzip, deflate, br or zstd.'
      : 'This content encoding is not understood. Send gzip, deflate, br, zstd, or the body as it is.',
  )
}

type Piece = Uint8Array | undefined | ErrorInfo

/** The next piece, if the sender gives it in time, or why there is none. */
function readInTime(body: RequestBody, options: BodyOptions, withinMs: number): Piece | Promise<Piece> {
  const reading = readOrGone(body)
  if (!(reading instanceof Promise)) return reading
  return new Promise((resolve) => {
    const callOff = options.after(withinMs, () => resolve(TIMED_OUT))
    // Handled also when it fails long after the time-out: a rejection that nobody handles ends the process.
    reading.then(
      (piece) => {
        callOff()
        resolve(piece)
      },
      () => {
        callOff()
        resolve(GONE)
      },
    )
  })
}

function readOrGone(body: RequestBody): Piece | Promise<Piece> {
  try {
    return body.read()
  } catch {
    return GONE
  }
}

async function readInPieces(
  body: RequestBody,
  first: Piece | Promise<Piece>,
  encoding: Encoding | undefined,
  options: BodyOptions,
): Promise<Uint8Array | ErrorInfo> {
  const now = options.now ?? (() => performance.now())
  const startedAt = now()
  const whole = growingBytes()
  let size = 0
  const mayHold = (bytes: number): boolean => options.slot?.receive(size, bytes) ?? true
  const decoder = encoding === undefined ? undefined : openDecoder(encoding, options.limitBytes, mayHold)
  const stop = (error: ErrorInfo) => {
    decoder?.discard()
    return error
  }
  for (let reading = first; ; ) {
    const piece = await reading
    if (piece === undefined) break
    if (!(piece instanceof Uint8Array)) return stop(piece)
    size += piece.length
    if (size > options.limitBytes) return stop(tooLarge(options))
    if (body.received > maxEncodedBytes(options.limitBytes)) return stop(tooMuchFraming(options))
    if (decoder !== undefined) {
      if (!(await decoder.write(piece))) break
    } else if (mayHold(size)) whole.append(piece)
    else return stop(NO_MEMORY)
    const leftMs = startedAt + allowedMs(size) - now()
    if (leftMs <= 0) return stop(TOO_SLOW)
    reading = readInTime(body, options, Math.min(options.idleMs, leftMs))
  }
  if (decoder === undefined) return checkSize(whole.take(), options)
  if (size === 0) return stop(EMPTY)
  const decoded = await decoder.end()
  if (decoded === 'too_large') return stop(tooLarge(options))
  if (decoded === 'no_memory') return stop(NO_MEMORY)
  if (decoded === 'corrupt') return stop(CORRUPT)
  return checkSize(decoded, options)
}

const EMPTY: ErrorInfo = { code: 'bad_request', message: 'The request has no body.' }
const CORRUPT: ErrorInfo = { code: 'bad_request', message: 'The body is not valid in its content encoding.' }
const TIMED_OUT: ErrorInfo = { code: 'request_timeout', message: 'The body of the request took too long to arrive.' }
const TOO_SLOW: ErrorInfo = {
  code: 'request_timeout',
  message: 'The body of the request arrived too slowly: below 8 KiB/s, or for longer than 10 minutes.',
}
/** Also for bodies that are larger in memory than they were sent. */
export const NO_MEMORY = {
  code: 'unavailable',
  message: 'The gateway has no memory for this body at the moment. Retry in 1 second.',
  retryAfter: 1,
} satisfies ErrorInfo
const GONE: ErrorInfo = {
  code: 'client_gone',
  message: 'The client closed the connection before the body was complete.',
}

const unsupported = (message: string): ErrorInfo => ({ code: 'unsupported_media_type', message })

const tooLarge = ({ limitBytes }: BodyOptions): ErrorInfo => ({
  code: 'request_too_large',
  message: `The body of the request is over the limit of ${limitBytes} bytes.`,
})

const tooMuchFraming = ({ limitBytes }: BodyOptions): ErrorInfo => ({
  code: 'request_too_large',
  message: `The body of the request is over the limit of ${limitBytes} bytes, with the framing of its chunks. Send larger chunks.`,
})
