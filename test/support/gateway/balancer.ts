// A minimal TCP load balancer: each connection goes to one of the nodes that reported to be ready, and never to another.
// What a client notices of a restart is what the nodes did.
import { connect, createServer, type Socket } from 'node:net'

export type Balancer = {
  url: string
  /** How many nodes get new connections at the moment. */
  inUse(): number
  /** How many connections were rejected by nodes that had reported to be ready. */
  refused(): number
  stop(): void
}

/** Often, so that a test is short; a balancer that asks every second has two or three tries before a node closes its door. */
const ASK_EVERY_MS = 250

export async function startBalancer(nodes: readonly string[]): Promise<Balancer> {
  const ready = new Set<string>()
  const sockets = new Set<Socket>()
  let [next, refused] = [0, 0]

  async function ask(node: string): Promise<void> {
    // A question of its own each time: a kept connection would say more about itself than about the node.
    const answer = await fetch(`${node}/ready`, { headers: { connection: 'close' } }).catch(() => undefined)
    if (answer?.status === 200) ready.add(node)
    else ready.delete(node)
  }
  const timers = nodes.map((node) => setInterval(() => void ask(node), ASK_EVERY_MS))
  await Promise.all(nodes.map(ask))

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const choice = nodes.filter((node) => ready.has(node))
    next += 1
    const node = choice[next % choice.length]
    if (node === undefined) {
      refused += 1
      client.destroy()
      return
    }
    const { hostname, port } = new URL(node)
    const behind = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    let taken = false
    behind.on('connect', () => {
      taken = true
    })
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from)
      from.on('close', () => sockets.delete(from))
      from.on('error', () => {
        if (from === behind && !taken) refused += 1
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
    refused: () => refused,
    stop() {
      for (const timer of timers) clearInterval(timer)
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
