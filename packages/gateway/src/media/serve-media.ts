// `GET /media/{object}`: sends a stored object to a client that has a valid signed URL.
import { type CidrList, clientAddress, networkOf, wideNetworkOf } from '@trivium/http/addresses/client-address.ts'
import type { HttpResponse, StreamedBody } from '@trivium/http/response.ts'
import { readFirst, writePieces } from '@trivium/http/write-pieces.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import type { MediaRecord } from '../storage/media.ts'
import type { MediaReads } from './media-reads.ts'
import { BlobMissing, type MediaStore } from './media-store.ts'
import type { SignedUrls } from './signed-urls.ts'

export type MediaDependencies = {
  mediaStore: MediaStore
  mediaReads: MediaReads
  signedUrls: SignedUrls
  catalogue(): { trustedProxies: CidrList }
  clock(): number
}

/** Types that browsers display without running anything, and the extensions of their files. */
const DISPLAYED: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
}
const NOTHING = new Uint8Array(0)

/** The object alone may be displayed; nothing in it may run, load or send anything. */
const POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

export async function serveMedia(
  id: string,
  { http, query, responseHeaders: headers }: ApiRequest,
  { mediaStore, mediaReads, signedUrls, catalogue, clock }: MediaDependencies,
): Promise<HttpResponse> {
  // Read now: the address is unknown after the client has disconnected.
  const address = clientAddress(http.address(), http.headers, catalogue().trustedProxies)
  const parameters = new URLSearchParams(query)
  const validity = signedUrls.verify(id, parameters)
  if (validity === 'invalid') throw new Failure('invalid_signature', 'The signature of this URL is not valid.')
  if (validity === 'expired') throw new Failure('invalid_signature', 'This URL has expired.')
  const object = await mediaStore.find(id)
  if (!object) throw gone()
  if (!signedUrls.isFor(object, parameters)) {
    throw new Failure('invalid_signature', 'The signature of this URL is not valid.')
  }

  // The content of an object never changes, so its id is its tag.
  const etag = `"${id}"`
  const expiresAt = Math.min(object.expiresAt, Number(parameters.get('exp')) * 1_000)
  const fields = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': `private, max-age=${Math.max(0, Math.floor((expiresAt - clock()) / 1_000))}, immutable`,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'content-length, content-range, etag',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
  }
  for (const [name, value] of Object.entries(fields)) headers.set(name, value)
  if (hasTag(http.headers.get('if-none-match'), etag)) return { status: 304, headers, body: NOTHING }

  const range = rangeOf(http.headers, object, etag)
  if (range === 'unsatisfiable') {
    headers.set('content-range', `bytes */${object.size}`)
    return { status: 416, headers, body: NOTHING }
  }
  headers.set('content-type', object.contentType)
  headers.set('content-disposition', dispositionOf(object))
  if (range) headers.set('content-range', `bytes ${range.start}-${range.end - 1}/${object.size}`)
  const sent = range ?? { start: 0, end: object.size }
  const status = range ? 206 : 200
  if (http.method === 'HEAD') return { status, headers, body: bodyless(sent) }
  const end = mediaReads.begin(id, { network: networkOf(address), wideNetwork: wideNetworkOf(address) })
  if (typeof end === 'string') {
    // Requests that were sent after this one would be rejected, too.
    headers.set('connection', 'close')
    throw tooManyReads(end)
  }
  let isSending = false
  try {
    const body = await bodyOf(object, sent, mediaStore, http)
    if (body instanceof Uint8Array) return { status, headers, body }
    isSending = true
    return { status, headers, body: { ...body, run: (sink) => body.run(sink).finally(end) } }
  } finally {
    if (!isSending) end()
  }
}

const tooManyReads = (limit: 'object' | 'all'): Failure =>
  limit === 'object'
    ? new Failure(
        'rate_limit_exceeded',
        'Too many requests for this URL are in progress from your network. Retry in 1 second.',
        {
          retryAfter: 1,
        },
      )
    : new Failure('service_unavailable', 'Too many stored objects are being sent. Retry in 1 second.', {
        retryAfter: 1,
      })

type Headers = ApiRequest['http']['headers']

/** A range of another version of the content would be wrong: If-Range then demands the whole. */
function rangeOf(headers: Headers, { size }: MediaRecord, etag: string): ReturnType<typeof parseRange> {
  const condition = headers.get('if-range')
  return condition === null || condition.trim() === etag ? parseRange(headers.get('range'), size) : undefined
}

function dispositionOf({ id, contentType }: MediaRecord): string {
  const essence = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const extension = Object.hasOwn(DISPLAYED, essence) ? DISPLAYED[essence] : undefined
  return extension === undefined ? `attachment; filename="${id}"` : `inline; filename="${id}.${extension}"`
}

const bodyless = ({ start, end }: ByteRange): StreamedBody => ({ length: end - start, run: async () => NOTHING })

/** The first piece is read before the response begins: a content that is missing is a 404. */
async function bodyOf(
  object: MediaRecord,
  range: ByteRange,
  mediaStore: MediaStore,
  client: { readonly isDisconnected: boolean },
): Promise<StreamedBody | Uint8Array> {
  const pieces = await readFirst(mediaStore.read(object, range)).catch((error: unknown) => {
    throw error instanceof BlobMissing ? gone() : error
  })
  const length = range.end - range.start
  if (pieces) return { length, run: (sink) => writePieces(pieces, sink, { client }) }
  if (length > 0) throw gone()
  return NOTHING
}

const gone = () => new Failure('not_found', 'This object does not exist, or it has been deleted.')

// The header `Range` (RFC 9110): one range of bytes. Several ranges are answered with the whole content, as the RFC allows.
/** `end` is exclusive. */
type ByteRange = { start: number; end: number }

const ONE_RANGE = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i

/** undefined: the whole content is to be sent. */
export function parseRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [matched, first = '', last = ''] = ONE_RANGE.exec(header ?? '') ?? []
  if (matched === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

/** Whether a list of entity tags, such as of If-None-Match, has this one. Weak and strong tags compare equal there. */
export function hasTag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
