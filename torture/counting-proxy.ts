// A proxy between a gateway and PostgreSQL that counts round trips: each ends with a Sync, or is a simple Query.
import type { Socket } from 'bun'

export type CountingProxy = { port: number; roundTrips(): number; stop(): void }

type Side = { other: Socket<Side> | undefined; early: Buffer[]; count: ((chunk: Buffer) => void) | undefined }

const SYNC = 0x53
const QUERY = 0x51
const SSL_REQUEST = 80_877_103

export function startCountingProxy(target: { hostname: string; port: number }): CountingProxy {
  let trips = 0
  const sockets = new Set<Socket<Side>>()
  const handlers = {
    data(socket: Socket<Side>, chunk: Buffer) {
      socket.data.count?.(chunk)
      if (socket.data.other) socket.data.other.write(chunk)
      else socket.data.early.push(Buffer.from(chunk))
    },
    close(socket: Socket<Side>) {
      sockets.delete(socket)
      socket.data.other?.end()
    },
  }
  const server = Bun.listen<Side>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      ...handlers,
      open(client) {
        client.data = { other: undefined, early: [], count: counter(() => trips++) }
        sockets.add(client)
        void Bun.connect<Side>({
          ...target,
          data: { other: client, early: [], count: undefined },
          socket: {
            ...handlers,
            open(upstream) {
              sockets.add(upstream)
              client.data.other = upstream
              for (const chunk of client.data.early) upstream.write(chunk)
            },
          },
        })
      },
    },
  })
  return {
    port: server.port,
    roundTrips: () => trips,
    stop() {
      server.stop(true)
      for (const socket of sockets) socket.terminate()
    },
  }
}

/** Messages consist of a type byte, a length and a content; only the first ones of a connection have no type byte. */
function counter(found: () => void): (chunk: Buffer) => void {
  let buffer = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const lengthAt = started ? 1 : 0
      if (buffer.length < lengthAt + 4) return
      const end = lengthAt + buffer.readInt32BE(lengthAt)
      if (buffer.length < end) return
      if (started && (buffer[0] === SYNC || buffer[0] === QUERY)) found()
      started ||= buffer.readInt32BE(4) !== SSL_REQUEST
      buffer = buffer.subarray(end)
    }
  }
}
