// How requests and responses of a dialect go over the wire of a cloud that puts them differently. All else in the gateway, from
// metering to `upstream test`, knows the dialect alone.
import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Upstream } from '../../config/types.ts'
import type { OutgoingRequest } from '../outgoing.ts'

/** `read`: the response as the dialect has it. Absent: it is so already. */
export type Framed = { sent: OutgoingRequest; read?(reply: UpstreamResponse): UpstreamResponse }
export type Frame = (outgoing: OutgoingRequest, upstream: Upstream) => Framed

/** undefined: it is read from disk while it is sent. */
export function bytesOf({ body }: OutgoingRequest): Uint8Array | undefined {
  if ('open' in body) return undefined
  const [first = new Uint8Array(0)] = body
  return body.length === 1 ? first : Buffer.concat(body as Pieces)
}

/** One step of a path: `:` and `/` are encoded, once; `@` may stand as it is. */
export const pathStep = (text: string): string => encodeURIComponent(text).replaceAll('%40', '@')

export const withoutQuery = (path: string): string => path.replace(/\?.*$/s, '')

const MOST_BYTES = 32 * 1024 * 1024
const OF_THE_BYTES = ['content-length', 'content-type']

/** A successful response with another body, which is made of the whole one. */
export function changedReply(reply: UpstreamResponse, change: (body: unknown) => unknown): UpstreamResponse {
  return replaced(reply, 'application/json', async () => {
    const bytes = await readAtMost(reply, MOST_BYTES)
    if (!bytes) throw new Error('the response is too large')
    return Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(bytes).toString()))))
  })
}

function replaced(reply: UpstreamResponse, type: string, make: () => Promise<Uint8Array>): UpstreamResponse {
  if (reply.status !== 200) return reply
  let isRead = false
  return {
    ...reframed(reply, type),
    read() {
      if (isRead) return undefined
      isRead = true
      return make()
    },
  }
}

/** A stream as another one. `take`: what becomes of a piece, which may be nothing; `end` throws if something is missing. */
export function changedStream(
  reply: UpstreamResponse,
  type: string,
  { take, end }: { take(piece: Uint8Array): Uint8Array; end(): void },
): UpstreamResponse {
  function taken(piece: Uint8Array | undefined): Uint8Array | undefined {
    try {
      if (piece) return take(piece)
      end()
      return undefined
    } catch (error) {
      reply.cancel()
      throw error
    }
  }
  const isNothing = (bytes: Uint8Array | undefined): boolean => bytes?.length === 0
  async function readOn(first: Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    let bytes = taken(await first)
    while (isNothing(bytes)) bytes = taken(await reply.read())
    return bytes
  }
  return {
    ...reframed(reply, type),
    read() {
      for (;;) {
        const piece = reply.read()
        if (piece instanceof Promise) return readOn(piece)
        const bytes = taken(piece)
        if (!isNothing(bytes)) return bytes
      }
    },
  }
}

function reframed(reply: UpstreamResponse, type: string): Omit<UpstreamResponse, 'read'> {
  const { status } = reply
  return {
    status,
    header: (name) => (name === 'content-type' ? type : OF_THE_BYTES.includes(name) ? null : reply.header(name)),
    headerNames: () => reply.headerNames?.() ?? [],
    cancel: () => reply.cancel(),
  }
}
