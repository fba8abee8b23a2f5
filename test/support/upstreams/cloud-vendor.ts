// The model paths of three clouds on loopback: each with its own rules of what a request must and must not have, and with the
// embedded model behind them. Whatever breaks a rule gets the error that the cloud sends.
import { chunkFrame, exceptionFrame } from '../../../packages/protocol/fixtures/amazon-frames.ts'
import { createSandbox } from '../../../packages/sandbox/src/handler.ts'

type Json = Record<string, unknown>
/** `path`: as it came over the wire. */
export type CloudRequest = { method: string; path: string; headers: Record<string, string>; body: Json }

export type CloudVendor = {
  origin: string
  /** Newest last. */
  sent: CloudRequest[]
  /** Answers the next request instead of the cloud. */
  next(answer: (request: CloudRequest) => Response | Promise<Response>): void
  /** Forgets what it was sent, and the answers that nobody asked for. */
  reset(): void
  stop(): void
}

export const amazonError = (status: number, type: string, message: string): Response =>
  Response.json({ message }, { status, headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` } })

const googleError = (status: number, word: string, message: string): Response =>
  Response.json({ error: { code: status, message, status: word } }, { status })

const METRICS = {
  'amazon-bedrock-invocationMetrics': { inputTokenCount: 1, outputTokenCount: 2, invocationLatency: 3 },
}

/** A stream of frames, each written alone. */
export const frames = (bytes: readonly Uint8Array[] | AsyncGenerator<Uint8Array>): Response =>
  new Response(streamOf(Array.isArray(bytes) ? each(bytes) : (bytes as AsyncGenerator<Uint8Array>)), {
    headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  })

async function* each(bytes: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes
}

const streamOf = (bytes: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { value, done } = await bytes.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })

/** The model's events, without the sign of life that the service does not have. */
export async function* framesOf(events: Response): AsyncGenerator<Uint8Array> {
  for (const event of (await events.text()).split('\n\n')) {
    const data = /^data: (.*)$/m.exec(event)?.[1]
    const value = data === undefined ? undefined : (JSON.parse(data) as Json)
    if (!value || value.type === 'ping') continue
    yield chunkFrame(value.type === 'message_stop' ? { ...value, ...METRICS } : value)
  }
}

export { chunkFrame, exceptionFrame }

export function startCloudVendor(): CloudVendor {
  const sandbox = createSandbox({ faults: false, pace: 0 })
  const sent: CloudRequest[] = []
  const scripted: ((request: CloudRequest) => Response | Promise<Response>)[] = []

  const model = (path: string, body: Json): Promise<Response> =>
    sandbox(
      new Request(`http://sandbox.invalid${path}`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer any',
          'x-api-key': 'any',
          'x-goog-api-key': 'any',
          'anthropic-version': '2023-06-01',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      }),
    )
  const claude = (body: Json, stream: boolean) => model('/v1/messages', { ...body, model: 'sandbox-text', stream })

  async function invoked(request: CloudRequest, id: string, method: string): Promise<Response> {
    const { headers, body } = request
    if (!headers.authorization?.startsWith('Bearer ')) return amazonError(403, 'AccessDeniedException', 'No token.')
    if (id.includes('unknown'))
      return amazonError(400, 'ValidationException', 'The provided model identifier is invalid.')
    if (method === 'count-tokens') {
      const { body: inner = '' } = ((body.input as Json)?.invokeModel ?? {}) as { body?: string }
      const counted = JSON.parse(Buffer.from(inner, 'base64').toString()) as Json
      const wrong = wrongInvoke(counted, headers)
      return wrong ?? Response.json({ inputTokens: 4711 })
    }
    const wrong = wrongInvoke(body, headers)
    if (wrong) return wrong
    const { anthropic_version: _version, anthropic_beta: _betas, ...rest } = body
    if (method === 'invoke') return await claude(rest, false)
    const answer = await claude(rest, true)
    return answer.status === 200 ? frames(framesOf(answer)) : answer
  }

  /** What the service rejects that Anthropic's own API takes. */
  function wrongInvoke(body: Json, headers: Record<string, string>): Response | undefined {
    const extra = ['model', 'stream', 'cache_control'].find((name) => name in body)
    if (extra) return amazonError(400, 'ValidationException', `${extra}: Extra inputs are not permitted`)
    if (body.anthropic_version !== 'bedrock-2023-05-31' || typeof body.max_tokens !== 'number')
      return amazonError(400, 'ValidationException', 'anthropic_version and max_tokens: Field required')
    const header = ['anthropic-version', 'anthropic-beta'].find((name) => name in headers)
    return header ? amazonError(400, 'ValidationException', `unexpected header ${header}`) : undefined
  }

  async function predicted(request: CloudRequest, id: string, method: string): Promise<Response> {
    const { body, headers } = request
    const extra = [...(id === 'count-tokens' ? [] : ['model']), 'cache_control'].find((name) => name in body)
    const inner = {
      type: 'error',
      error: { type: 'invalid_request_error', message: `${extra}: Extra inputs are not permitted` },
    }
    if (extra) return googleError(400, 'INVALID_ARGUMENT', JSON.stringify(inner))
    if (body.anthropic_version !== 'vertex-2023-10-16' || 'anthropic-version' in headers)
      return googleError(400, 'INVALID_ARGUMENT', 'anthropic_version is wrong')
    if (id === 'count-tokens') return Response.json({ input_tokens: typeof body.model === 'string' ? 4712 : 0 })
    if ((method === 'streamRawPredict') !== (body.stream === true))
      return googleError(400, 'INVALID_ARGUMENT', 'stream does not fit the method')
    const { anthropic_version: _version, ...rest } = body
    return await claude(rest, body.stream === true)
  }

  async function gemini(request: CloudRequest, method: string): Promise<Response> {
    const { body } = request
    if (method === 'predict') {
      const instances = body.instances as { content: string }[]
      const values = (content: string) => [content.length, 0.5]
      const statistics = { token_count: 3, truncated: false }
      return Response.json({
        predictions: instances.map(({ content }) => ({ embeddings: { values: values(content), statistics } })),
      })
    }
    if (method === 'countTokens')
      return 'generateContentRequest' in body
        ? googleError(400, 'INVALID_ARGUMENT', 'Unknown name "generateContentRequest"')
        : Response.json({ totalTokens: 4713 })
    return await model(`/v1beta/models/sandbox-text:${method}${method.startsWith('stream') ? '?alt=sse' : ''}`, body)
  }

  const PATHS: readonly [form: RegExp, answer: (request: CloudRequest, ...parts: string[]) => Promise<Response>][] = [
    [/^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|count-tokens)$/, invoked],
    [/\/publishers\/anthropic\/models\/([^/:]+):(rawPredict|streamRawPredict)$/, predicted],
    [/\/publishers\/google\/models\/[^/:]+:(\w+)$/, gemini],
    [/\/chat\/completions$/, ({ body }) => model('/v1/chat/completions', { ...body, model: 'sandbox-text' })],
    [/\/responses$/, ({ body }) => model('/v1/responses', { ...body, model: 'sandbox-text' })],
    [/\/v1\/messages$/, ({ body }) => claude(body, body.stream === true)],
    [/\/embeddings$/, ({ body }) => model('/v1/embeddings', { ...body, model: 'sandbox-embedding' })],
  ]

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    async fetch(request) {
      const path = request.url.replace(/^https?:\/\/[^/]+/, '')
      const text = await request.text()
      const headers = Object.fromEntries(request.headers)
      const isJson = text !== '' && headers['content-type'] === 'application/json'
      const asked = { method: request.method, path, headers, body: isJson ? (JSON.parse(text) as Json) : {} }
      sent.push(asked)
      const answer = scripted.shift()
      if (answer) return await answer(asked)
      const plain = path.replace(/\?.*$/, '')
      for (const [form, serve] of PATHS) {
        const found = form.exec(plain)
        if (found && request.method === 'POST') return await serve(asked, ...found.slice(1).map(decodeURIComponent))
      }
      return Response.json({ error: { code: 404, message: `nothing at ${path}` } }, { status: 404 })
    },
  })
  return {
    origin: `http://127.0.0.1:${server.port}`,
    sent,
    next: (answer) => scripted.push(answer),
    reset() {
      sent.length = 0
      scripted.length = 0
    },
    stop: () => void server.stop(true),
  }
}
