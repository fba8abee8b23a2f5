// The only outbound call to an upstream. What goes out is listed here; nothing of the client's request leaks by default.

import type { Cancel } from '@trivium/http/cancel.ts'
import { createHttpClient } from '@trivium/http/client/client.ts'
import { CONNECT_TIMEOUT_MS } from '@trivium/http/client/errors.ts'
import { RequestHeadWriter } from '@trivium/http/client/request-head-writer.ts'
import { decompressed, responseOf, type UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { TextDialectId } from '@trivium/protocol/canonical/request.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Upstream } from '../config/types.ts'
import { credentialHeader, endpointOf } from './endpoint.ts'
import { type ConnectionOptions, createTransport, type HttpVersion, type TransportOptions } from './transport.ts'

export type OutgoingRequest = {
  /** Absent: POST. */
  method?: 'GET'
  path: string
  dialect: TextDialectId
  /** Written as they are to a socket of our own; joined for those who need one array. */
  body: Pieces
  stream: boolean
  /** Headers of the client's that this kind of request may carry on, already chosen: they win over required ones. */
  headers: Record<string, string>
  /** The upstream's key that this call goes by. */
  key: string
  cancel: Cancel
}

export type Send = ((upstream: Upstream, outgoing: OutgoingRequest) => Promise<UpstreamResponse>) & {
  /** The version of HTTP that an upstream is spoken to in, where that is known. */
  httpVersionOf?(upstream: Upstream): HttpVersion | undefined
}

/** An embedded model, called without a socket. */
export type Embedded = (request: Request) => Promise<Response>

/**
 * Bodies of streamed requests above this are sent as a stream that is read once: Bun keeps any other body in memory until the
 * response has ended. Such a stream costs more than the rest of a call, and Bun cannot send it again.
 */
const KEEP_BYTES = 4_096

export type SendOptions = TransportOptions & {
  /** Connections to plain HTTP upstreams that are kept for their next request. */
  mostIdle?: number
}

export function createSend(embedded: Embedded, { mostIdle, ...transportParts }: SendOptions = {}): Send {
  const transport = createTransport(transportParts)
  const http1 = createHttpClient(transportParts.now, CONNECT_TIMEOUT_MS, mostIdle)

  async function sendToSandbox(outgoing: OutgoingRequest, headers: HeaderFields): Promise<UpstreamResponse> {
    const { method = 'POST', dialect, path, cancel } = outgoing
    const body = joinPieces(outgoing.body)
    const address = SANDBOX_BASES[dialect] + path
    return decompressed(
      responseOf(await embedded(new Request(address, { method, headers, signal: cancel.signal, body }))),
    )
  }

  async function sendByFetch(
    upstream: Upstream,
    outgoing: OutgoingRequest,
    headers: HeaderFields,
  ): Promise<UpstreamResponse> {
    const { method = 'POST', path, cancel } = outgoing
    const { proxy } = upstream
    const bytes = joinPieces(outgoing.body)
    // Time limits are ours alone: Bun's own would end a call that the configuration lets wait longer.
    const limits = { redirect: 'manual' as const, decompress: false, timeout: false as const }
    const isOneShot = outgoing.stream && bytes.length > KEEP_BYTES
    const length = isOneShot ? { 'content-length': String(bytes.length) } : undefined
    const dial = { method, headers: { ...headers, ...length }, signal: cancel.signal, ...limits }
    const attempt = (way: ConnectionOptions) => {
      const body = method === 'GET' ? null : isOneShot ? oneShot(bytes) : bytes
      return fetch(upstream.baseUrl + path, { ...dial, ...(proxy ? { proxy } : {}), body, ...way })
    }
    return decompressed(responseOf(await transport(upstream, cancel, attempt, isOneShot)))
  }

  const send: Send = (upstream, outgoing) => {
    if (upstream.embedded) return sendToSandbox(outgoing, headersOf(upstream, outgoing))
    // HTTP_PROXY and its kin were taken out of the environment at start: proxies come from the configuration alone.
    const isPlain = upstream.proxy === undefined && upstream.baseUrl.startsWith('http:')
    if (!isPlain) return sendByFetch(upstream, outgoing, headersOf(upstream, outgoing))
    const { method, path, body, cancel } = outgoing
    const head = fixedHead(upstream, outgoing)
    const request = method === 'GET' ? [head.get(path)] : [head.post(path), lengthOf(body), ...body]
    return http1(head.origin, request, cancel)
  }
  return Object.assign(send, { httpVersionOf: transport.httpVersionOf })
}

/** As it stands in a head, which ends with it. */
function lengthOf(body: Pieces): Uint8Array {
  let length = 0
  for (const piece of body) length += piece.length
  return encoder.encode(`${length}\r\n\r\n`)
}

const encoder = new TextEncoder()

function joinPieces(pieces: Pieces): Uint8Array {
  const [first] = pieces
  return first && pieces.length === 1 ? first : Buffer.concat(pieces)
}

type HeaderFields = Record<string, string>

function headersOf(upstream: Upstream, { dialect, key, headers: chosen }: OutgoingRequest): HeaderFields {
  const { credential, headers: required } = endpointOf(upstream, dialect)
  return {
    ...credentialHeader(credential, key),
    ...required,
    'content-type': 'application/json',
    // SDKs ask for JSON also when they want a stream, and so do we: the body says which it is.
    accept: 'application/json, text/event-stream',
    // A compressed reply would have to be inflated to be metered and deflated to be passed on.
    'accept-encoding': 'identity',
    'user-agent': 'trivium/0.1',
    ...chosen,
  }
}

/** By dialect and key. */
type FixedHeads = Partial<Record<TextDialectId, Map<string, RequestHeadWriter>>>
const fixedHeads = new WeakMap<Upstream, FixedHeads>()

/** Most requests have nothing of the client's among their headers: what they all say is written once. */
function fixedHead(upstream: Upstream, outgoing: OutgoingRequest): RequestHeadWriter {
  for (const _ in outgoing.headers) return new RequestHeadWriter(upstream.baseUrl, headersOf(upstream, outgoing))
  const { dialect, key } = outgoing
  let heads = fixedHeads.get(upstream)
  if (!heads) {
    heads = {}
    fixedHeads.set(upstream, heads)
  }
  heads[dialect] ??= new Map()
  let head = heads[dialect].get(key)
  if (!head) {
    head = new RequestHeadWriter(upstream.baseUrl, headersOf(upstream, outgoing))
    heads[dialect].set(key, head)
  }
  return head
}

/** What a client of the embedded model would be given as its base address. Never dialled: the name is reserved for that. */
const SANDBOX_BASES: Readonly<Record<TextDialectId, string>> = {
  chat: 'http://sandbox.invalid/v1',
  responses: 'http://sandbox.invalid/v1',
  messages: 'http://sandbox.invalid',
  'generate-content': 'http://sandbox.invalid/v1beta',
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
