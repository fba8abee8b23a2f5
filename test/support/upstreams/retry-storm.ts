// A retry storm: all upstreams of a model reject everything. Counts the attempts for a number of requests.
import { newKey } from '../gateway/accounts.ts'
import { startGateway } from '../gateway/gateway.ts'

export type Rejection = { status: number; retryAfter?: string }

export type StormPlan = {
  /** One rejection for each upstream. */
  rejections: readonly Rejection[]
  keysEach: number
  requests: number
  /** Concurrent clients. */
  clients: number
  /** The pause between two requests of a client. */
  pauseMs?: number
}

export type StormResult = { requests: number; attempts: number; statuses: Record<string, number> }

export async function storm(plan: StormPlan): Promise<StormResult> {
  const { rejections, keysEach, requests, clients, pauseMs = 0 } = plan
  let attempts = 0
  const upstreams = rejections.map(({ status, retryAfter }) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch() {
        attempts++
        const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
        return Response.json({ error: { message: 'not now', type: 'x', code: null, param: null } }, { status, headers })
      },
    }),
  )
  const gateway = await startGateway({
    config: configFor(
      upstreams.map(({ port }) => port ?? 0),
      keysEach,
    ),
  })
  try {
    const { secret } = await newKey(gateway)
    const statuses: Record<string, number> = {}
    let left = requests
    const client = async () => {
      while (left-- > 0) {
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'same', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }),
        })
        await response.arrayBuffer()
        if (pauseMs > 0) await Bun.sleep(pauseMs)
        statuses[response.status] = (statuses[response.status] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    return { requests, attempts, statuses }
  } finally {
    await gateway.stop()
    for (const upstream of upstreams) upstream.stop(true)
  }
}

function configFor(ports: readonly number[], keysEach: number): string {
  const keys = (upstream: number) => Array.from({ length: keysEach }, (_, key) => `key-${upstream}-${key}`).join(', ')
  const entries = ports.map(
    (port, index) =>
      `  - { id: up-${index}, dialect: chat, base_url: "http://127.0.0.1:${port}/v1", keys: [${keys(index)}] }`,
  )
  const routes = ports.map((_, index) => `{ upstream: up-${index} }`)
  return `
upstreams:
${entries.join('\n')}
models:
  - { id: same, routes: [${routes.join(', ')}], price: { input: 1, output: 4 } }
`
}
