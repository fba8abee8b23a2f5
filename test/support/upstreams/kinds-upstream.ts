// The sandbox behind the paths of every vendor, which records what it is sent. The key identifies the kind.

import { KINDS } from '../../../packages/gateway/src/upstreams/kinds/index.ts'
import { startSandboxServer } from '../../../packages/sandbox/src/server.ts'

export type Sent = { path: string; headers: Record<string, string>; body: Record<string, unknown> }

export type KindsUpstream = {
  /** The upstream's entry in the configuration: the vendor's paths on this server. */
  entry(kind: string): string
  /** Requests with the key of this kind, newest last. */
  sent(kind: string): Sent[]
  stop(): Promise<void>
}

export const keyOf = (kind: string): string => `key-of-${kind}`

/** Paths that the sandbox serves itself; others are mapped by their ending. */
const SERVED = /^\/v1\/(chat\/completions|responses|messages)$|^\/v1beta\/models\/[^/]+$/
const BY_END: readonly [RegExp, string][] = [
  [/\/chat\/completions$/, '/v1/chat/completions'],
  [/\/responses$/, '/v1/responses'],
  [/\/messages$/, '/v1/messages'],
  [/^.*\/publishers\/google\/models\//, '/v1beta/models/'],
]

/** A URL of this server with the vendor's path, or the sandbox's own path where it serves the kind itself. */
function baseOf(kind: string, origin: string): string {
  const { baseUrl, example = '', testedWith, baseUrlSuffix = '' } = KINDS.get(kind) ?? { testedWith: 'none' }
  return origin + (testedWith === 'sandbox' ? baseUrlSuffix : new URL(baseUrl ?? example).pathname.replace(/\/$/, ''))
}

export function startKindsUpstream(): KindsUpstream {
  const sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false, pace: 0 })
  const sent: Sent[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const body = await request.text()
      const parsed = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>)
      sent.push({ path: pathname + search, headers: Object.fromEntries(request.headers), body: parsed })
      const isTested = [...KINDS.values()].some(
        ({ kind, testedWith }) =>
          testedWith === 'sandbox' && JSON.stringify([...request.headers]).includes(`${keyOf(kind)}"`),
      )
      const rule = isTested || SERVED.test(pathname) ? undefined : BY_END.find(([end]) => end.test(pathname))
      const path = rule ? pathname.replace(rule[0], () => rule[1]).replace(/^.*(?=\/v1)/, '') : pathname
      const headers = new Headers(request.headers)
      // The sandbox accepts any key in a header that it knows.
      if (headers.has('api-key')) headers.set('authorization', 'Bearer any')
      return fetch(sandbox.url + path + search, { method: request.method, headers, ...(body === '' ? {} : { body }) })
    },
  })
  const origin = `http://127.0.0.1:${server.port}`
  return {
    entry: (kind) => `  - { id: ${kind}, kind: ${kind}, keys: [${keyOf(kind)}], base_url: "${baseOf(kind, origin)}" }`,
    sent: (kind) => sent.filter(({ headers }) => Object.values(headers).some((value) => value.endsWith(keyOf(kind)))),
    async stop() {
      await server.stop(true)
      await sandbox.stop()
    },
  }
}
