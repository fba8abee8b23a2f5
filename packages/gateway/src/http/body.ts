// Reading a request's body: type, encoding, size and patience, decided before anything looks inside.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { type Encoding, openDecoder } from './content-decoding.ts'

/** Which content types a path takes; `say` is what to send, in words. */
export type ContentTypes = { accepts: (essence: string) => boolean; say: string }

export const JSON_BODY: ContentTypes = {
  accepts: (essence) => essence === 'application/json' || /^[a-z0-9.-]+\/[a-z0-9._-]+\+json$/.test(essence),
  say: 'Content-Type: application/json',
}

export type BodyOptions = {
  /** Of the body as sent, and of the body as decoded. */
  limitBytes: number
  contentTypes: ContentTypes
  /** How long the sender may be silent. */
  idleMs: number
  /** Runs something later; gives the function that calls it off. */
  after: (ms: number, run: () => void) => () => void
}

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
}

/** Up to here one native read is used. It shows no progress, so all of it must come within `idleMs`: keep it small. */
const ONE_READ_BYTES = 256 * 1024

/** What the headers say of a body. */
export type Announced = { type: string | null; encoding: string | null; length: string | null }

export function announcedBody(headers: Headers): Announced {
  const length = headers.get('content-length')
  return { type: headers.get('content-type'), encoding: headers.get('content-encoding'), length }
}

/**
 * The decoded bytes, or why not. After an error the rest of the body may still be on its way: the server takes it in
 * and throws it away, so the answer can be sent at once, and reaches a client that is still sending.
 */
export function readBody(
  request: Request,
  options: BodyOptions,
  announced: Announced = announcedBody(request.headers),
): Promise<Uint8Array | ErrorInfo> | ErrorInfo {
  const wrongType = checkContentType(announced.type, options.contentTypes)
  if (wrongType !== undefined) return wrongType
  const encoding = encodingOf(announced.encoding)
  if (typeof encoding === 'object') return encoding
  // Only a hint, and only believed when it speaks against the sender; what is read is counted.
  const length = announced.length === null ? undefined : Number(announced.length)
  if (length !== undefined && length > options.limitBytes) return tooLarge(options)

  // Merely looking at `request.body` makes a stream of it, which costs more than all the rest of the journey.
  const inOne = encoding === undefined && length !== undefined && length <= ONE_READ_BYTES
  return inOne ? inTime(request.bytes(), options, checkSize) : readInPieces(request, encoding, options)
}

function checkSize(bytes: Uint8Array, options: BodyOptions): Uint8Array | ErrorInfo {
  if (bytes.length === 0) return EMPTY
  return bytes.length > options.limitBytes ? tooLarge(options) : bytes
}

function checkContentType(header: string | null, types: ContentTypes): ErrorInfo | undefined {
  // What nearly everybody sends.
  if (header === 'application/json' && types === JSON_BODY) return undefined
  if (header === null) return unsupported(`The request has no content type. Send ${types.say}.`)
  const [essence = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  if (!types.accepts(essence)) return unsupported(`This content type is not understood here. Send ${types.say}.`)
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

/** What becomes of what the sender gives in time, or why there is nothing. */
function inTime<T, Made>(
  reading: Promise<T>,
  options: BodyOptions,
  make: (value: T, options: BodyOptions) => Made,
): Promise<Made | ErrorInfo> {
  return new Promise((resolve) => {
    const callOff = options.after(options.idleMs, () => resolve(TIMED_OUT))
    // Handled also when it fails long after the time-out: a rejection that nobody handles ends the process.
    reading.then(
      (value) => {
        callOff()
        resolve(make(value, options))
      },
      () => {
        callOff()
        resolve(GONE)
      },
    )
  })
}

async function readInPieces(
  request: Request,
  encoding: Encoding | undefined,
  options: BodyOptions,
): Promise<Uint8Array | ErrorInfo> {
  if (request.body === null) return EMPTY
  const reader = request.body.getReader()
  const decoder = encoding === undefined ? undefined : openDecoder(encoding, options.limitBytes)
  const parts: Uint8Array[] = []
  let size = 0
  const stop = (error: ErrorInfo) => {
    decoder?.discard()
    reader.cancel().catch(() => {})
    return error
  }
  for (;;) {
    const read = await inTime(reader.read(), options, (value) => value)
    if ('code' in read) return stop(read)
    const piece = read.value
    if (piece === undefined) break
    size += piece.length
    if (size > options.limitBytes) return stop(tooLarge(options))
    if (decoder === undefined) parts.push(piece)
    else if (!(await decoder.write(piece))) break
  }
  if (decoder === undefined) return checkSize(Buffer.concat(parts, size), options)
  if (size === 0) return stop(EMPTY)
  const decoded = await decoder.end()
  if (decoded === 'too_large') return stop(tooLarge(options))
  if (decoded === 'corrupt') return stop(CORRUPT)
  return checkSize(decoded, options)
}

const EMPTY: ErrorInfo = { code: 'bad_request', message: 'The request has no body.' }
const CORRUPT: ErrorInfo = { code: 'bad_request', message: 'The body is not valid in its content encoding.' }
const TIMED_OUT: ErrorInfo = { code: 'request_timeout', message: 'The body of the request took too long to arrive.' }
const GONE: ErrorInfo = {
  code: 'client_gone',
  message: 'The client closed the connection before the body was complete.',
}

const unsupported = (message: string): ErrorInfo => ({ code: 'unsupported_media_type', message })

const tooLarge = ({ limitBytes }: BodyOptions): ErrorInfo => ({
  code: 'request_too_large',
  message: `The body of the request is over the limit of ${limitBytes} bytes.`,
})
