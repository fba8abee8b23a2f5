// The only outbound call to an upstream. What goes out is listed here; nothing of the client's request leaks by default.
import type { Upstream } from '../config/types.ts'

export type Outgoing = {
  path: string
  body: Uint8Array
  stream: boolean
  /** Headers of the client's that this kind of request may carry on, already chosen. */
  headers: Record<string, string>
  signal: AbortSignal
}

export type Send = (upstream: Upstream, outgoing: Outgoing) => Promise<Response>

/** An embedded model, called without a socket. */
export type Embedded = (request: Request) => Promise<Response>

/** Bodies above this are handed over as a one-shot stream, so that they are not kept in memory while the reply streams. */
const KEEP_BYTES = 4_096

export function createSend(embedded: Embedded): Send {
  let turn = 0
  return (upstream, outgoing) => {
    const key = upstream.keys[upstream.keys.length > 1 ? turn++ % upstream.keys.length : 0] ?? 'none'
    const headers: Record<string, string> = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      // SDKs ask for JSON also when they want a stream, and so do we: the body says which it is.
      accept: 'application/json, text/event-stream',
      // A compressed reply would have to be inflated to be metered and deflated to be passed on.
      'accept-encoding': 'identity',
      'user-agent': 'trivium/0.1',
      ...outgoing.headers,
    }
    const url = upstream.baseUrl + outgoing.path
    const init = { method: 'POST', headers, signal: outgoing.signal, redirect: 'manual' as const }
    if (upstream.kind === 'sandbox') return embedded(new Request(url, { ...init, body: outgoing.body }))
    const body = outgoing.stream && outgoing.body.length > KEEP_BYTES ? oneShot(outgoing.body, headers) : outgoing.body
    // HTTP_PROXY and its kin were taken out of the environment at start: proxies come from the configuration alone.
    return fetch(url, upstream.proxy ? { ...init, body, proxy: upstream.proxy } : { ...init, body })
  }
}

function oneShot(bytes: Uint8Array, headers: Record<string, string>): ReadableStream<Uint8Array> {
  headers['content-length'] = String(bytes.length)
  let rest: Uint8Array | undefined = bytes
  return new ReadableStream({
    pull(controller) {
      if (rest) controller.enqueue(rest)
      rest = undefined
      controller.close()
    },
  })
}
