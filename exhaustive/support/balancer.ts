// A minimal TCP load balancer: each connection goes to one of the nodes that reported to be ready, and never to another.
// What a client notices of a restart is what the nodes did.
import { connect, createServer, type Socket } from 'node:net'

export type Balancer = {
  url: string
  /** How many nodes get new connections at the moment. */
  inUse(): number
  /** How many connections were rejected by nodes that had reported to be ready. */
  rejected(): number
  stop(): void
}

/** Often, so that a test is short; a balancer that checks every second has two or three tries before a node stops listening. */
const CHECK_EVERY_MS = 250

export async function startBalancer(nodes: readonly string[]): Promise<Balancer> {
  const ready = new Set<string>()
  const sockets = new Set<Socket>()
  let [next, rejected] = [0, 0]

  async function check(node: string): Promise<void> {
    // A new connection each time: a kept one would say more about itself than about the node.
    const answer = await fetch(`${node}/ready`, { headers: { connection: 'close' } }).catch(() => undefined)
    if (answer?.status === 200) ready.add(node)
    else ready.delete(node)
  }
  const timers = nodes.map((node) => setInterval(() => void check(node), CHECK_EVERY_MS))
  await Promise.all(nodes.map(check))

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const choice = nodes.filter((node) => ready.has(node))
    next += 1
    const node = choice[next % choice.length]
    if (node === undefined) {
      rejected += 1
      client.destroy()
      return
    }
    const { hostname, port } = new URL(node)
    const behind = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    let connected = false
    behind.on('connect', () => {
      connected = true
    })
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from)
      from.on('close', () => sockets.delete(from))
      from.on('error', () => {
        if (from === behind && !connected) rejected += 1
        to.destroy()
      })
      from.pipe(to)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    inUse: () => ready.size,
    rejected: () => rejected,
    stop() {
      for (const timer of timers) clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
