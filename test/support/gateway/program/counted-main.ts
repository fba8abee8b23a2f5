// A gateway that prints on SIGUSR2 what it has allocated so far, and how often it has called the system and other threads. Nothing is
// collected, so the difference of two such lines is what was allocated in between.
import { heapStats } from 'bun:jsc'
import type { Socket, SocketHandler } from 'bun'

const counts = { messages: 0, reads: 0, writes: 0 }

const post: (this: Worker, message: unknown) => void = Worker.prototype.postMessage
Worker.prototype.postMessage = function (this: Worker, message: unknown) {
  counts.messages++
  post.call(this, message)
}

/** Pieces that arrive at sockets, of clients and of upstreams, and what is written to them. */
function counted<Options extends { socket: SocketHandler<never> }>(options: Options): Options {
  const { open, data } = options.socket
  const socket: SocketHandler<never> = {
    ...options.socket,
    open(opened) {
      const write = opened.write as (...bytes: unknown[]) => number
      Object.assign(opened, {
        write(...bytes: unknown[]) {
          counts.writes++
          return write.apply(opened, bytes)
        },
      })
      return open?.(opened)
    },
    data(from: Socket<never>, bytes) {
      counts.reads++
      return data?.(from, bytes)
    },
  }
  return { ...options, socket }
}

const { listen, connect } = Bun
Object.assign(Bun, {
  listen: (options: Parameters<typeof listen<never>>[0]) => listen(counted(options)),
  connect: (options: Parameters<typeof connect<never>>[0]) => connect(counted(options)),
})

process.on('SIGUSR2', () => {
  const { heapCapacity, objectTypeCounts } = heapStats()
  process.stdout.write(`counted ${JSON.stringify({ ...objectTypeCounts, bytes: heapCapacity, ...counts })}\n`)
})

await import('../../../../packages/gateway/src/main.ts')
