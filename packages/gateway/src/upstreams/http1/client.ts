// HTTP/1.1 to upstreams without TLS, over connections that are kept: docs/decisions/0011 tells why it is not left to Bun.
import type { Socket, SocketHandler } from 'bun'
import type { Cancel } from '../../http/cancel.ts'
import { plain, type Reply } from '../reply.ts'
import { Closed } from './closed.ts'
import { Connection, type Owner } from './connection.ts'

/** A connection that the upstream had closed already shows within a round trip; later, the upstream was at work. */
const STALE_WITHIN_MS = 1_000
/** Of connections to one host that wait for their next request. */
const MOST_IDLE = 1_024
/** A closed connection that does not work is found out, also while nothing is sent. */
const PROBE_MS = 60_000

/** A host, and the connections to it that nobody uses at the moment. */
class Origin implements Owner {
  readonly #hostname: string
  readonly #port: number
  readonly #idle: Connection[] = []

  constructor(hostname: string, port: number) {
    this.#hostname = hostname
    this.#port = port
  }

  /** The one used last: it is the least likely to have been closed meanwhile, and the others may get old and go. */
  take(): Connection | undefined {
    return this.#idle.pop()
  }

  free(connection: Connection): void {
    if (this.#idle.length < MOST_IDLE) this.#idle.push(connection)
    else connection.cancel()
  }

  closed(connection: Connection): void {
    const place = this.#idle.lastIndexOf(connection)
    if (place !== -1) this.#idle.splice(place, 1)
  }

  open(cancel: Cancel): Promise<Connection> {
    const connection = new Connection(this)
    return new Promise((resolve, reject) => {
      // Connecting cannot be called off, but nobody has to wait for it.
      cancel.target = { cancel: () => reject(new Closed('Given up while connecting.')) }
      Bun.connect({ hostname: this.#hostname, port: this.#port, socket: HANDLERS, data: connection }).then((socket) => {
        if (cancel.isCancelled) socket.terminate()
        else resolve(connection)
      }, reject)
    })
  }
}

const HANDLERS: SocketHandler<Connection> = {
  binaryType: 'buffer',
  open(socket: Socket<Connection>) {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, PROBE_MS)
    socket.data.opened(socket)
  },
  data: (socket, bytes) => socket.data.received(bytes),
  drain: (socket) => socket.data.drained(),
  close: (socket, error) => socket.data.ended(error),
  // What follows is `close`, or the promise of `connect` has told already.
  error: () => {},
  connectError: () => {},
  timeout: (socket) => socket.data.cancel(),
}

export type Http1Request = {
  /** Up to and without the path: `http://host:port`. */
  origin: string
  /** With the empty line at its end, in characters of one byte. */
  head: string
  body: Uint8Array
}

export type Http1 = (request: Http1Request, cancel: Cancel) => Promise<Reply>

/** Of addresses that are remembered: reloaded configurations may bring ever new ones. */
const MOST_ORIGINS = 1_000

export function createHttp1(now: () => number = () => performance.now()): Http1 {
  const origins = new Map<string, Origin>()

  function originOf(address: string): Origin {
    const known = origins.get(address)
    if (known) return known
    const [oldest] = origins.size >= MOST_ORIGINS ? origins.keys() : []
    if (oldest !== undefined) origins.delete(oldest)
    const { hostname, port } = new URL(address)
    // An address of version 6 stands in brackets there.
    const origin = new Origin(hostname.replace(/^\[|\]$/g, ''), port === '' ? 80 : Number(port))
    origins.set(address, origin)
    return origin
  }

  return async (request, cancel) => {
    const { head, body } = request
    if (cancel.isCancelled) throw new Closed('Given up before it was sent.')
    const origin = originOf(request.origin)
    const used = origin.take()
    if (used) {
      const sentAt = now()
      try {
        return plain(await used.send(head, body, cancel))
      } catch (error) {
        // Upstreams close idle connections whenever they like, also at the moment when a request is under way to them.
        const isStale = error instanceof Closed && !used.hasBegun && now() - sentAt < STALE_WITHIN_MS
        if (!isStale || cancel.isCancelled) throw error
      }
    }
    const fresh = await origin.open(cancel)
    return plain(await fresh.send(head, body, cancel))
  }
}
