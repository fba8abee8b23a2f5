// The only outbound request to an upstream. All of its headers are listed here: none of the client's is passed on by default, except
// its ids of the request and of the trace.

import { createHttpClient, type SendObserver } from '@trivium/http/client/client.ts'
import { CONNECT_TIMEOUT_MS } from '@trivium/http/client/errors.ts'
import { requestHead } from '@trivium/http/client/request-head.ts'
import { decompressed, responseOf, type UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Upstream } from '../config/types.ts'
import { CLIENT_REQUEST_ID } from '../observe/arrival.ts'
import type { Values } from '../observe/metrics/metric.ts'
import type { RequestRecord, UpstreamAttempt } from '../observe/request-record.ts'
import { passOn } from '../observe/traces/context.ts'
import { attemptAnswered, beginAttempt, endAttempt } from '../observe/upstream-attempt.ts'
import { VERSION } from '../observe/version.ts'
import { sendAuthorised } from './credentials/authorised.ts'
import type { CredentialState } from './credentials/credential.ts'
import type { Credentials } from './credentials/index.ts'
import { callSettings, credentialHeader } from './endpoint.ts'
import { sendFramed } from './framings/index.ts'
import type { OutgoingRequest, Send, StreamedUpload } from './outgoing.ts'
import { type ConnectionOptions, createTransport, type TransportOptions } from './transport.ts'

export type { OutgoingRequest, Send, StreamedUpload } from './outgoing.ts'

/** The embedded models, called without a socket. */
export type Embedded = (request: Request) => Promise<Response>

/**
 * Larger bodies of streamed requests are sent as a stream that can be read once, because `fetch` keeps other bodies in memory
 * until the response has ended. Such a stream costs more than the rest of a short request, and `fetch` cannot send it again.
 */
const KEEP_BYTES = 4_096

export type SendOptions = TransportOptions & {
  /** Most idle connections to plain http upstreams. */
  maxIdle?: number
  /** Counts the calls of upstreams by what came back. */
  attempts?: Values
  /** Absent: all upstreams have keys. */
  credentials?: Pick<Credentials, 'of'>
}

export function createSend(
  embedded: Embedded,
  { maxIdle, attempts, credentials, ...transportOptions }: SendOptions = {},
): Send {
  const transport = createTransport(transportOptions)
  const httpClient = createHttpClient(transportOptions.now, CONNECT_TIMEOUT_MS, maxIdle)

  async function sendToSandbox(outgoing: OutgoingRequest, headers: HeaderFields): Promise<UpstreamResponse> {
    const { method = 'POST', dialect, path, cancel } = outgoing
    const sent = isUpload(outgoing.body) ? outgoing.body.open() : joinPieces(outgoing.body)
    const body = method === 'POST' ? sent : null
    const url = SANDBOX_ORIGIN + DIALECTS[dialect].endpoint.basePath + path
    const request = new Request(url, { method, headers, signal: cancel.signal, body })
    return decompressed(responseOf(await embedded(request)))
  }

  async function sendByFetch(
    upstream: Upstream,
    outgoing: OutgoingRequest,
    headers: HeaderFields,
  ): Promise<UpstreamResponse> {
    const { method = 'POST', path, cancel, isOnce } = outgoing
    const { proxy } = upstream
    const upload: StreamedUpload & { bytes?: Uint8Array } = isUpload(outgoing.body)
      ? outgoing.body
      : uploadOf(joinPieces(outgoing.body))
    // Bun's own timeout would end requests that the configuration lets run longer.
    const limits = { redirect: 'manual' as const, decompress: false, timeout: false as const }
    const { bytes } = upload
    const isOneShot = !bytes || isOnce || (outgoing.stream && bytes.length > KEEP_BYTES)
    const length = isOneShot ? { 'content-length': String(upload.length) } : undefined
    const init = { method, headers: { ...headers, ...length }, signal: cancel.signal, ...limits }
    const fresh = isOnce ? { keepalive: false } : {}
    const sendOnce = (connection: ConnectionOptions) => {
      const body = method !== 'POST' ? null : isOneShot ? upload.open() : bytes
      return fetch(upstream.baseUrl + path, { ...init, ...(proxy ? { proxy } : {}), body, ...fresh, ...connection })
    }
    return decompressed(responseOf(await transport(upstream, cancel, sendOnce, isOneShot, isOnce)))
  }

  /** `more`: headers of this request alone. */
  function dispatch(
    upstream: Upstream,
    outgoing: OutgoingRequest,
    observer: SendObserver,
    more?: HeaderFields,
  ): Promise<UpstreamResponse> {
    const own = headersOf(upstream, outgoing)
    // HTTP_PROXY and similar variables were removed at start: only the configuration names proxies.
    const { method, path, body, cancel, isOnce } = outgoing
    const isPlain = upstream.proxy === undefined && upstream.baseUrl.startsWith('http:')
    if (isPlain && !upstream.embedded && !isUpload(body)) {
      const length = method === undefined ? lengthOf(body) : undefined
      const head = requestHead(upstream.baseUrl, path, own, length, method, more)
      return httpClient(head.origin, [head.bytes, ...body], cancel, isOnce, observer)
    }
    const headers = more ? { ...own, ...more } : own
    return observed(
      upstream.embedded ? sendToSandbox(outgoing, headers) : sendByFetch(upstream, outgoing, headers),
      observer,
    )
  }

  function dispatchAuthorised(
    upstream: Upstream,
    outgoing: OutgoingRequest,
    observer: SendObserver,
    more?: HeaderFields,
  ): Promise<UpstreamResponse> {
    if (!credentials) throw new Error(`there is no credential for the upstream ${upstream.id}`)
    const { method = 'POST', body, cancel } = outgoing
    const { href: url } = new URL(upstream.baseUrl + outgoing.path)
    const request = { method, url, headers: headersOf(upstream, outgoing), body }
    return sendAuthorised(credentials.of(upstream), request, (added) => {
      if (cancel.isCancelled) throw new Error('cancelled while waiting for the credential')
      return dispatch(upstream, outgoing, observer, more ? { ...more, ...added } : added)
    })
  }

  const send: Send = (upstream, outgoing) =>
    upstream.framing === undefined
      ? sendAsIs(upstream, outgoing)
      : sendFramed(sendAsIs, upstream.framing, upstream, outgoing)

  const sendAsIs: Send = (upstream, outgoing) => {
    const { origin, dialect } = outgoing
    const sendIt = upstream.auth ? dispatchAuthorised : dispatch
    if (!origin) return sendIt(upstream, outgoing, new SendNotes(upstream, outgoing, attempts))
    const { record, model, operation } = origin
    const key = upstream.keys.indexOf(outgoing.key)
    const attempt = beginAttempt(record, { upstream, key, model, dialect, ...(operation ? { operation } : {}) })
    const notes = new SendNotes(upstream, outgoing, attempts, attempt)
    return sendIt(upstream, outgoing, notes, contextOf(record, attempt.spanId))
  }
  const { httpVersionOf } = transport
  return Object.assign(send, credentials ? { httpVersionOf, credentialState: stateIn(credentials) } : { httpVersionOf })
}

const stateIn =
  (credentials: Pick<Credentials, 'of'>) =>
  (upstream: Upstream): CredentialState =>
    credentials.of(upstream).state()

/** What came of a request: in the record of what it was sent for, and in the metrics. */
class SendNotes implements SendObserver {
  readonly #upstream: Upstream
  readonly #outgoing: OutgoingRequest
  readonly #attempts: Values | undefined
  readonly #attempt: UpstreamAttempt | undefined

  constructor(upstream: Upstream, outgoing: OutgoingRequest, attempts?: Values, attempt?: UpstreamAttempt) {
    this.#upstream = upstream
    this.#outgoing = outgoing
    this.#attempts = attempts
    this.#attempt = attempt
  }

  /** A response of which the head has arrived counts by its status; what follows may still fail. */
  answered(reply: UpstreamResponse): void {
    if (this.#attempt) attemptAnswered(this.#attempt, reply)
    this.#attempts?.add(1, this.#upstream.id, resultOf(reply.status))
  }

  failed(): void {
    const { cancel, origin } = this.#outgoing
    if (origin) endAttempt(origin.record, 'upstream_error')
    this.#attempts?.add(1, this.#upstream.id, cancel.isCancelled ? 'cancelled' : 'no_response')
  }
}

const RATE_LIMITED = 429

const resultOf = (status: number): string => (status === RATE_LIMITED ? '429' : `${Math.floor(status / 100)}xx`)

const observed = (sending: Promise<UpstreamResponse>, observer: SendObserver): Promise<UpstreamResponse> =>
  sending.then(
    (reply) => {
      observer.answered(reply)
      return reply
    },
    (error) => {
      observer.failed(error)
      throw error
    },
  )

function lengthOf(body: Pieces): number {
  let length = 0
  for (const piece of body) length += piece.length
  return length
}

const isUpload = (body: Pieces | StreamedUpload): body is StreamedUpload => 'open' in body

const uploadOf = (bytes: Uint8Array): StreamedUpload & { bytes?: Uint8Array } => ({
  bytes,
  length: bytes.length,
  open: () => oneShot(bytes),
})

function joinPieces(pieces: Pieces): Uint8Array {
  const [first] = pieces
  return first && pieces.length === 1 ? first : Buffer.concat(pieces)
}

type HeaderFields = Record<string, string>

/** Headers of requests that carry nothing of the client's: the same for each key while the configuration is in force. */
const sharedHeaders = new WeakMap<Upstream, Map<string, HeaderFields>>()

function headersOf(upstream: Upstream, { dialect, key, headers: chosen, contentType }: OutgoingRequest): HeaderFields {
  const type = contentType === undefined ? undefined : { 'content-type': contentType }
  if (type || Object.keys(chosen).length > 0) return { ...ownHeaders(upstream, dialect, key), ...type, ...chosen }
  const ofUpstream = sharedHeaders.get(upstream) ?? new Map<string, HeaderFields>()
  const id = `${dialect} ${key}`
  const known = ofUpstream.get(id)
  if (known) return known
  const headers = Object.freeze(ownHeaders(upstream, dialect, key))
  sharedHeaders.set(upstream, ofUpstream.set(id, headers))
  return headers
}

/** How the request and its trace are called by its caller, so that the vendor's records can be found by them. */
function contextOf({ clientRequestId, trace }: RequestRecord, span: string | undefined): HeaderFields | undefined {
  if (clientRequestId === undefined && trace === undefined) return undefined
  const headers: HeaderFields = {}
  if (clientRequestId !== undefined) headers[CLIENT_REQUEST_ID] = clientRequestId
  if (trace) passOn(trace, span, headers)
  return headers
}

function ownHeaders(upstream: Upstream, dialect: OutgoingRequest['dialect'], key: string): HeaderFields {
  const { credential, headers: required } = callSettings(upstream, dialect)
  return {
    ...(upstream.auth ? {} : credentialHeader(credential, key)),
    ...required,
    'content-type': 'application/json',
    // Whether the response is streamed is decided by the body; SDKs accept JSON for streams, too.
    accept: 'application/json, text/event-stream',
    // A compressed response would have to be decompressed to be metered.
    'accept-encoding': 'identity',
    'user-agent': `trivium/${VERSION}`,
  }
}

/** Never connected to: `.invalid` is a reserved name. */
const SANDBOX_ORIGIN = 'http://sandbox.invalid'

function oneShot(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let rest: Uint8Array | undefined = bytes
  return new ReadableStream({
    pull(controller) {
      if (rest) controller.enqueue(rest)
      rest = undefined
      controller.close()
    },
  })
}
