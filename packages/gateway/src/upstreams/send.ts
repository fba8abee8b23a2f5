// The only outbound call to an upstream. What goes out is listed here; nothing of the client's request leaks by default.
import type { TextDialectId } from '@trivium/protocol/canonical/request.ts'
import type { Upstream } from '../config/types.ts'
import { spokenAt, withKey } from './spoken.ts'

export type Outgoing = {
  /** Absent: POST. */
  method?: 'GET'
  path: string
  dialect: TextDialectId
  body: Uint8Array
  stream: boolean
  /** Headers of the client's that this kind of request may carry on, already chosen: they win over required ones. */
  headers: Record<string, string>
  /** The upstream's key that this call goes by. */
  key: string
  signal: AbortSignal
}

export type Send = (upstream: Upstream, outgoing: Outgoing) => Promise<Response>

/** An embedded model, called without a socket. */
export type Embedded = (request: Request) => Promise<Response>

/** Bodies above this are handed over as a one-shot stream, so that they are not kept in memory while the reply streams. */
const KEEP_BYTES = 4_096
/** A connection that the upstream had closed already shows within a round trip; later, the upstream was at work. */
const STALE_WITHIN_MS = 1_000

export function createSend(embedded: Embedded): Send {
  /** Upstreams that have answered: there may be a connection to them that was used before. */
  const answered = new Set<string>()

  async function overSocket(upstream: Upstream, url: string, init: RequestInit, outgoing: Outgoing): Promise<Response> {
    const sentAt = performance.now()
    let reply: Response
    try {
      reply = await fetch(url, { ...init, ...bodyOf(outgoing, init) })
    } catch (error) {
      // Upstreams close idle connections whenever they like, also at the moment when a request is under way to them.
      // Not a byte was answered, so it is sent again, once, over a new connection.
      const isStale = answered.has(upstream.id) && performance.now() - sentAt < STALE_WITHIN_MS && isReset(error)
      if (!isStale || outgoing.signal.aborted) throw error
      reply = await fetch(url, { ...init, ...bodyOf(outgoing, init), keepalive: false })
    }
    answered.add(upstream.id)
    return reply
  }

  return async (upstream, outgoing) => {
    const { credential, headers: required } = spokenAt(upstream, outgoing.dialect)
    const headers: Record<string, string> = {
      ...withKey(credential, outgoing.key),
      ...required,
      'content-type': 'application/json',
      // SDKs ask for JSON also when they want a stream, and so do we: the body says which it is.
      accept: 'application/json, text/event-stream',
      // A compressed reply would have to be inflated to be metered and deflated to be passed on.
      'accept-encoding': 'identity',
      'user-agent': 'trivium/0.1',
      ...outgoing.headers,
    }
    const { method = 'POST', signal } = outgoing
    const init = { method, headers, signal, redirect: 'manual' as const }
    if (upstream.kind === 'sandbox') {
      const address = SANDBOX_BASES[outgoing.dialect] + outgoing.path
      return plain(await embedded(new Request(address, { ...init, body: outgoing.body })))
    }
    const url = upstream.baseUrl + outgoing.path
    // HTTP_PROXY and its kin were taken out of the environment at start: proxies come from the configuration alone.
    const { proxy } = upstream
    return plain(await overSocket(upstream, url, { ...init, decompress: false, ...(proxy ? { proxy } : {}) }, outgoing))
  }
}

/** What a client of the embedded model would be given as its base address. Never dialled: the name is reserved for that. */
const SANDBOX_BASES: Readonly<Record<TextDialectId, string>> = {
  chat: 'http://sandbox.invalid/v1',
  responses: 'http://sandbox.invalid/v1',
  messages: 'http://sandbox.invalid',
  'generate-content': 'http://sandbox.invalid/v1beta',
}

type RequestInit = BunFetchRequestInit & { headers: Record<string, string> }

function bodyOf({ method, body, stream }: Outgoing, init: RequestInit): Pick<BunFetchRequestInit, 'body' | 'headers'> {
  if (method === 'GET') return {}
  if (!stream || body.length <= KEEP_BYTES) return { body }
  return { body: oneShot(body), headers: { ...init.headers, 'content-length': String(body.length) } }
}

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

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
}

/** The encodings that an upstream may use although it was asked for none. */
const ENCODINGS: Readonly<Record<string, 'gzip' | 'deflate' | 'brotli' | 'zstd'>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
  zstd: 'zstd',
}

/** Decoded as it is read, so that nobody's compressed megabyte becomes our gigabyte. */
function plain(reply: Response): Response {
  const encoding = reply.headers.get('content-encoding')
  if (encoding === null || reply.body === null) return reply
  const format = ENCODINGS[encoding.trim().toLowerCase()]
  if (format === undefined) return reply
  const headers = new Headers(reply.headers)
  headers.delete('content-encoding')
  headers.delete('content-length')
  const { status } = reply
  return new Response(reply.body.pipeThrough(new DecompressionStream(format)), { status, headers })
}
