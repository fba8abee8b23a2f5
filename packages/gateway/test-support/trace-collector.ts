// For tests: a collector on a real socket, which decodes what it gets.

type Value = {
  stringValue?: string
  intValue?: string
  doubleValue?: number
  boolValue?: boolean
  arrayValue?: { values: readonly Value[] }
}
export type Collected = string | number | boolean | readonly Collected[]
type Attributes = readonly { key: string; value: Value }[]
type Encoded = {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attributes
  status?: { code: number }
}

export type CollectedSpan = Omit<Encoded, 'attributes'> & { attributes: Record<string, Collected> }

export type Collector = {
  url: string
  spans: CollectedSpan[]
  /** The batches as they came. */
  bodies: string[]
  headers: Headers[]
  /** By name. */
  resource: Record<string, Collected>
  /** Responds to the next batches like this; undefined: takes them. */
  respond(next: ((request: Request) => Response | Promise<Response>) | undefined): void
  stop(): Promise<void>
}

export function startCollector(): Collector {
  let respond: ((request: Request) => Response | Promise<Response>) | undefined
  const collected: Pick<Collector, 'spans' | 'bodies' | 'headers' | 'resource'> = {
    spans: [],
    bodies: [],
    headers: [],
    resource: {},
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text()
      collected.bodies.push(body)
      collected.headers.push(request.headers)
      if (respond) return respond(request)
      if (new URL(request.url).pathname !== '/v1/traces') return new Response('', { status: 404 })
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        collected.resource = decoded(resource.attributes)
        for (const { spans } of scopeSpans)
          for (const span of spans as Encoded[]) collected.spans.push({ ...span, attributes: decoded(span.attributes) })
      }
      return Response.json({})
    },
  })
  return Object.assign(collected, {
    url: `http://127.0.0.1:${server.port}`,
    respond(next: typeof respond) {
      respond = next
    },
    stop: () => server.stop(true),
  })
}

export const decoded = (attributes: Attributes): Record<string, Collected> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, collectedValue(value)]))

const collectedValue = ({ stringValue, doubleValue, boolValue, arrayValue, intValue }: Value): Collected =>
  stringValue ?? doubleValue ?? boolValue ?? arrayValue?.values.map(collectedValue) ?? Number(intValue)
