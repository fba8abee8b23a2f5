// A vendor on loopback: it accepts one key, lists its models, and answers in every dialect as the embedded model does.
import { createSandbox } from '../../../packages/sandbox/src/handler.ts'

export type StubVendor = {
  /** As a client of the vendor is given it. */
  baseUrl: string
  key: string
  models: readonly string[]
  /** How many requests for an answer it has had. */
  answered(): number
  /** From now on it rate-limits, with this retry-after in seconds; undefined: no longer. */
  limit(seconds: number | undefined): void
  stop(): void
}

const KEY = 'stub-vendor-key-0123456789'
/** Two of the built-in price list, and one that it does not have. */
const MODELS = ['gpt-6.1-terra', 'gpt-6-astra', 'house-model']

export function startStubVendor(models: readonly string[] = MODELS): StubVendor {
  const handle = createSandbox({ faults: false, pace: 0 })
  let answered = 0
  let retryAfter: number | undefined
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (!request.headers.get('authorization')?.endsWith(KEY))
        return Response.json(
          { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } },
          { status: 401 },
        )
      if (pathname === '/v1/models') return Response.json({ object: 'list', data: models.map((id) => ({ id })) })
      if (request.method === 'GET') return Response.json({ error: { message: 'Not found.' } }, { status: 404 })
      const body = (await request.json()) as Record<string, unknown>
      if (!models.includes(String(body.model)))
        return Response.json(
          { error: { message: 'The model does not exist.', code: 'model_not_found' } },
          { status: 404 },
        )
      if (retryAfter !== undefined)
        return Response.json(
          { error: { message: 'Rate limit reached.', code: 'rate_limit_exceeded' } },
          { status: 429, headers: { 'retry-after': String(retryAfter) } },
        )
      answered += 1
      const asked = JSON.stringify({ ...body, model: 'sandbox-text' })
      return await handle(new Request(request.url, { method: 'POST', headers: request.headers, body: asked }))
    },
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    key: KEY,
    models,
    answered: () => answered,
    limit(seconds) {
      retryAfter = seconds
    },
    stop: () => void server.stop(true),
  }
}
