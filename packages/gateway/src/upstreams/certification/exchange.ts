// Keeps what an upstream answers while a check reads it: its head always, its body for a recording.
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { Send } from '../send.ts'

/** The last response of an upstream. `body`: undefined: it is not kept, or too long. */
export type Exchange = { status: number; headers: ReadonlyMap<string, string>; body: string | undefined }

const MOST_BYTES = 256 * 1024

/** `last`: undefined: nothing was answered since it was taken. */
export type Watched = { send: Send; takeLast(): Exchange | undefined }

export function watch(send: Send, keepsBodies: boolean): Watched {
  let last: (() => Exchange) | undefined
  const watched: Send = async (upstream, outgoing) => {
    const response = await send(upstream, outgoing)
    const pieces: Uint8Array[] = []
    let size = 0
    last = () => ({
      status: response.status,
      headers: headersOf(response),
      body: keepsBodies && size <= MOST_BYTES ? Buffer.concat(pieces).toString() : undefined,
    })
    if (!keepsBodies) return response
    return {
      status: response.status,
      header: (name) => response.header(name),
      async read() {
        const piece = await response.read()
        size += piece?.length ?? 0
        // The client reuses the memory of what it has read.
        if (piece && size <= MOST_BYTES) pieces.push(new Uint8Array(piece))
        return piece
      },
      cancel: () => response.cancel(),
    }
  }
  return {
    send: watched,
    takeLast() {
      const exchange = last?.()
      last = undefined
      return exchange
    },
  }
}

const headersOf = (response: UpstreamResponse): ReadonlyMap<string, string> =>
  new Map((response.headerNames?.() ?? []).map((name) => [name, response.header(name) ?? '']))
