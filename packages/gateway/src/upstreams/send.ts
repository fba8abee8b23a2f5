// The only outbound call to an upstream. What goes out is listed here; nothing of the client's request leaks by default.
import type { TextDialectId } from '@trivium/protocol/canonical/request.ts'
import type { Upstream } from '../config/types.ts'
import type { Cancel } from '../http/cancel.ts'
import { createHttp1 } from './http1/client.ts'
import { writeHead } from './http1/write-head.ts'
import { plain, type Reply, replyOf } from './reply.ts'
import { spokenAt, withKey } from './spoken.ts'
import { createTransport, type TransportParts } from './transport.ts'

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
  cancel: Cancel
}

export type Send = (upstream: Upstream, outgoing: Outgoing) => Promise<Reply>

/** An embedded model, called without a socket. */
export type Embedded = (request: Request) => Promise<Response>

/** Bodies above this are handed over as a one-shot stream, so that they are not kept in memory while the reply streams. */
const KEEP_BYTES = 4_096

export function createSend(embedded: Embedded, transportParts: TransportParts = {}): Send {
  const transport = createTransport(transportParts)
  const http1 = createHttp1()

  return async (upstream, outgoing) => {
    const { method = 'POST', body, cancel } = outgoing
    const headers = headersOf(upstream, outgoing)
    if (upstream.kind === 'sandbox') {
      const address = SANDBOX_BASES[outgoing.dialect] + outgoing.path
      return plain(replyOf(await embedded(new Request(address, { method, headers, signal: cancel.signal, body }))))
    }
    const url = upstream.baseUrl + outgoing.path
    // HTTP_PROXY and its kin were taken out of the environment at start: proxies come from the configuration alone.
    const { proxy } = upstream
    if (proxy === undefined && upstream.baseUrl.startsWith('http:')) {
      const { origin, head } = writeHead(method, url, headers, method === 'GET' ? undefined : body.length)
      return plain(await http1({ origin, head, body: method === 'GET' ? NO_BODY : body }, cancel))
    }
    // Time limits are ours alone: Bun's own would end a call that the configuration lets wait longer.
    const limits = { redirect: 'manual' as const, decompress: false, timeout: false as const }
    const dial = { method, headers, signal: cancel.signal, ...limits, ...(proxy ? { proxy } : {}) }
    const sending = transport(upstream, cancel, (way) => fetch(url, { ...dial, ...bodyOf(outgoing, dial), ...way }))
    return plain(replyOf(await sending))
  }
}

const NO_BODY = new Uint8Array()

function headersOf(upstream: Upstream, { dialect, key, headers: chosen }: Outgoing): Record<string, string> {
  const { credential, headers: required } = spokenAt(upstream, dialect)
  return {
    ...withKey(credential, key),
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
