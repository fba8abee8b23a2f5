// A TCP proxy that simulates a bad network between a client and a server.
import type { Socket } from 'bun'

export type FlakyProxy = {
  port: number
  /** `muted`: requests arrive, responses do not. `frozen`: nothing passes. Both apply to new connections as well. */
  mode: 'open' | 'muted' | 'frozen'
  /** Closes all connections. */
  cut(): void
  stop(): void
}

type Side = { other: Socket<Side> | undefined; early: Buffer[]; isClient: boolean }

export function startFlakyProxy(target: { hostname: string; port: number }): FlakyProxy {
  const sockets = new Set<Socket<Side>>()
  const passes = (from: Socket<Side>) => proxy.mode === 'open' || (proxy.mode === 'muted' && from.data.isClient)
  const forget = (socket: Socket<Side>) => {
    sockets.delete(socket)
    socket.data.other?.end()
  }
  const handlers = {
    data(socket: Socket<Side>, chunk: Buffer) {
      if (!passes(socket)) return
      if (socket.data.other) socket.data.other.write(chunk)
      else socket.data.early.push(Buffer.from(chunk))
    },
    close: forget,
    error: forget,
  }
  const server = Bun.listen<Side>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      ...handlers,
      open(client) {
        client.data = { other: undefined, early: [], isClient: true }
        sockets.add(client)
        Bun.connect<Side>({
          ...target,
          data: { other: client, early: [], isClient: false },
          socket: {
            ...handlers,
            open(upstream) {
              sockets.add(upstream)
              client.data.other = upstream
              for (const chunk of client.data.early) upstream.write(chunk)
            },
          },
        }).catch(() => client.terminate())
      },
    },
  })
  const proxy: FlakyProxy = {
    port: server.port,
    mode: 'open',
    cut() {
      for (const socket of sockets) socket.terminate()
    },
    stop() {
      server.stop(true)
      proxy.cut()
    },
  }
  return proxy
}
