// A service of vectors in both protocols, which does what the name of the model says.
import type { Server } from 'bun'

export type Asked = { path: string; body: Record<string, unknown>; text: string }

type Input = string | readonly number[]
/** Two numbers that a float of 32 bits has exactly. */
const vectorOf = (input: Input): number[] => [input.length / 4, -0.125]
const base64 = (vector: number[]) => Buffer.from(new Float32Array(vector).buffer).toString('base64')

/** 6 MB of numbers. */
const NUMBERS = Array.from({ length: 1_024 }, (_, at) => Math.fround(Math.sin(at + 1) / 20))
export const LARGE = JSON.stringify({
  object: 'list',
  data: Array.from({ length: 256 }, (_, index) => ({ object: 'embedding', index, embedding: NUMBERS })),
  model: 'large',
  usage: { prompt_tokens: 1_024, total_tokens: 1_024 },
})

export type EmbeddingUpstream = {
  port: number
  asked: Asked[]
  /** Answers the requests for the model `slow`. */
  release(): void
  stop(): Promise<void>
}

export function startEmbeddingUpstream(): EmbeddingUpstream {
  const asked: Asked[] = []
  let waiting: (() => void)[] = []
  const server: Server<undefined> = Bun.serve({
    port: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname
      const text = await request.text()
      const body = JSON.parse(text)
      asked.push({ path, body, text })
      const [, inPath, method] = /models\/(.+):(\w+)$/.exec(path) ?? []
      const model = inPath ?? String(body.model)
      if (model === 'busy') return Response.json({ error: { message: 'busy' } }, { status: 503 })
      if (model === 'broken') return Response.json({ error: { message: 'broken' } }, { status: 500 })
      if (model === 'error-inside') return Response.json({ error: { message: 'Unable to load the model' } })
      if (model === 'slow') await new Promise<void>((resolve) => waiting.push(resolve))
      if (model === 'large') return new Response(LARGE, { headers: { 'content-type': 'application/json' } })
      if (method) return Response.json(gemini(method, body))
      return new Response(chat(model, body), { headers: { 'content-type': 'application/json' } })
    },
  })
  return {
    port: server.port ?? 0,
    asked,
    release() {
      for (const resolve of waiting) resolve()
      waiting = []
    },
    stop: () => server.stop(true),
  }
}

function gemini(method: string, body: Record<string, unknown>): unknown {
  const requests = (body.requests ?? [body]) as { content: { parts: { text: string }[] } }[]
  const embeddings = requests.map(({ content }) => ({ values: vectorOf(content.parts[0]?.text ?? '') }))
  if (method === 'embedContent') return { embedding: embeddings[0], usageMetadata: { promptTokenCount: 5 } }
  return { embeddings }
}

/** Not as JSON.stringify writes it: a client of the same protocol gets these bytes. */
function chat(model: string, { input, encoding_format: asked }: Record<string, unknown>): string {
  const list = (Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]) as Input[]
  const isBase64 = model === 'base64-only' || (asked === 'base64' && model !== 'float-only')
  const data = list.map((each, index) => {
    const vector = vectorOf(each)
    return `{"object": "embedding", "index":${index}, "embedding" :${isBase64 ? `"${base64(vector)}"` : `[ ${vector.join(' , ')} ]`}}`
  })
  if (model === 'reversed') data.reverse()
  if (model === 'few') data.pop()
  const tokens = model === 'boasting' ? 90_000_000 : list.length * 7
  const usage = model === 'silent' ? '' : `,"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}`
  return `{"object":"list","data":[${data.join(' ,')}],\n"model":"${model}","extra":{"kept":[1.10]}${usage}}`
}
