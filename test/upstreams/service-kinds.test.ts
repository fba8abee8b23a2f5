// Every service of every built-in kind through a real gateway: the path, the credential and the fields that the vendor documents.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ServiceId } from '../../packages/gateway/src/endpoints/index.ts'
import { KINDS } from '../../packages/gateway/src/upstreams/kinds/index.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { wavOf } from '../support/requests/audio.ts'

type Fields = Record<string, unknown>
type Sent = { path: string; headers: Headers; fields: Fields }

const TYPES: Record<ServiceId, [type: string, price: string]> = {
  embeddings: ['embedding', '{ input: 1 }'],
  rerank: ['rerank', '{ per_search: 0.002 }'],
  speech: ['speech', '{ per_million_characters: 15 }'],
  transcriptions: ['transcription', '{ per_minute: 0.006 }'],
  translations: ['transcription', '{ per_minute: 0.006 }'],
  moderations: ['moderation', '{ per_request: 0 }'],
}
/** What clients send, with what only OpenAI's models know. */
const ASKED: Record<ServiceId, Fields> = {
  embeddings: { input: ['ab'], dimensions: 2, encoding_format: 'base64', user: 'ada' },
  rerank: { query: 'q', documents: ['a', { text: 'b' }], top_n: 1, return_documents: true },
  speech: { input: 'Hello.', voice: 'v', instructions: 'slowly', response_format: 'mp3' },
  transcriptions: { language: 'en', prompt: 'p', response_format: 'json', stream: 'true' },
  translations: { prompt: 'p', response_format: 'json' },
  moderations: { input: 'x' },
}
const VECTORS = { input: ['ab'], dimensions: 2, encoding_format: 'base64', user: expect.any(String) }
const { user: _user, ...NAMELESS } = VECTORS
const { dimensions: _dimensions, ...FULL } = VECTORS
const RANKED = { query: 'q', documents: ['a', 'b'], top_n: 1 }
const JINA = { ...RANKED, return_documents: false }
const SPOKEN = { input: 'Hello.', voice: 'v', response_format: 'mp3' }
const HEARD = ASKED.transcriptions
const { stream: _stream, ...WHOLE } = HEARD

type Expected = [path: string, fields: Fields, more?: { warnings?: string; rejects?: true; credential?: 'api-key' }]
const EXPECTED: Record<string, { [Id in ServiceId]?: Expected }> = {
  openai: {
    embeddings: ['/v1/embeddings', VECTORS],
    speech: ['/v1/audio/speech', { ...SPOKEN, instructions: 'slowly' }],
    transcriptions: ['/v1/audio/transcriptions', HEARD],
    translations: ['/v1/audio/translations', ASKED.translations],
    moderations: ['/v1/moderations', ASKED.moderations],
  },
  ark: { embeddings: ['/api/v3/embeddings', VECTORS] },
  azure: { embeddings: ['/openai/v1/embeddings', VECTORS, { credential: 'api-key' }] },
  mistral: {
    embeddings: [
      '/v1/embeddings',
      { input: ['ab'], output_dimension: 2, encoding_format: 'base64' },
      { warnings: 'user;dropped' },
    ],
    transcriptions: ['/v1/audio/transcriptions', { language: 'en', stream: 'true' }, { warnings: 'prompt;dropped' }],
    moderations: ['/v1/moderations', ASKED.moderations],
  },
  groq: {
    speech: ['/openai/v1/audio/speech', SPOKEN, { warnings: 'instructions;dropped' }],
    transcriptions: ['/openai/v1/audio/transcriptions', WHOLE],
    translations: ['/openai/v1/audio/translations', ASKED.translations],
  },
  qwen: {
    embeddings: ['/compatible-mode/v1/embeddings', { input: ['ab'], dimensions: 2 }, { warnings: 'user;dropped' }],
    rerank: ['/compatible-api/v1/reranks', RANKED],
  },
  openrouter: { embeddings: ['/api/v1/embeddings', VECTORS], rerank: ['/api/v1/rerank', JINA] },
  together: {
    embeddings: ['/v1/embeddings', VECTORS],
    rerank: ['/v1/rerank', JINA],
    speech: ['/v1/audio/speech', SPOKEN, { warnings: 'instructions;dropped' }],
    transcriptions: ['/v1/audio/transcriptions', WHOLE],
    translations: ['/v1/audio/translations', ASKED.translations],
  },
  fireworks: { embeddings: ['/inference/v1/embeddings', VECTORS], rerank: ['/inference/v1/rerank', JINA] },
  ollama: { embeddings: ['/v1/embeddings', VECTORS] },
  vllm: {
    embeddings: ['/v1/embeddings', VECTORS],
    rerank: ['/v1/rerank', JINA],
    transcriptions: ['/v1/audio/transcriptions', HEARD],
    translations: ['/v1/audio/translations', ASKED.translations],
  },
  'llama-cpp': { embeddings: ['/v1/embeddings', FULL, { rejects: true }], rerank: ['/v1/rerank', JINA] },
  'lm-studio': { embeddings: ['/v1/embeddings', FULL, { rejects: true }] },
  cohere: {
    embeddings: [
      '/compatibility/v1/embeddings',
      { input: ['ab'], encoding_format: 'base64' },
      { rejects: true, warnings: 'user;dropped' },
    ],
    rerank: ['/v2/rerank', RANKED],
  },
  voyage: {
    embeddings: ['/v1/embeddings', { input: ['ab'], output_dimension: 2 }, { warnings: 'user;dropped' }],
    rerank: ['/v1/rerank', { query: 'q', documents: ['a', 'b'], top_k: 1 }],
  },
  jina: {
    embeddings: [
      '/v1/embeddings',
      { input: ['ab'], dimensions: 2, embedding_type: 'base64' },
      { warnings: 'user;dropped' },
    ],
    rerank: ['/v1/rerank', JINA],
  },
  siliconflow: {
    embeddings: ['/v1/embeddings', NAMELESS, { warnings: 'user;dropped' }],
    rerank: ['/v1/rerank', JINA],
    speech: ['/v1/audio/speech', SPOKEN, { warnings: 'instructions;dropped' }],
    transcriptions: ['/v1/audio/transcriptions', {}, { warnings: 'language;dropped, prompt;dropped' }],
  },
  tei: {
    embeddings: ['/v1/embeddings', VECTORS],
    rerank: ['/rerank', { query: 'q', texts: ['a', 'b'], truncate: true }],
  },
  infinity: { embeddings: ['/embeddings', VECTORS], rerank: ['/rerank', JINA] },
  speaches: {
    speech: ['/v1/audio/speech', { ...SPOKEN, instructions: 'slowly' }],
    transcriptions: ['/v1/audio/transcriptions', HEARD],
    translations: ['/v1/audio/translations', ASKED.translations],
  },
}

const ROWS = Object.entries(EXPECTED).flatMap(([kind, services]) =>
  Object.entries(services).map(([id, expected]) => [kind, id as ServiceId, expected] as const),
)

let server: Bun.Server<undefined>
let gateway: Gateway
let secret = ''
const sent: Sent[] = []

beforeAll(async () => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  const upstream = (kind: string) => {
    const { baseUrl, example = '' } = KINDS.get(kind) ?? {}
    const path = new URL(baseUrl ?? example).pathname.replace(/\/$/, '')
    return `  - { id: ${kind}, kind: ${kind}, keys: [key-of-${kind}], base_url: "${server.url.origin}${path}" }`
  }
  const model = (kind: string, type: string, price: string) =>
    `  - { id: ${kind}-${type}, type: ${type}, price: ${price}, routes: [{ upstream: ${kind}, model: m }] }`
  const models = ROWS.map(([kind, id]) => model(kind, ...TYPES[id]))
  gateway = await startGateway({
    config: `upstreams:\n${Object.keys(EXPECTED).map(upstream).join('\n')}\nmodels:\n${[...new Set(models)].join('\n')}`,
  })
  ;({ secret } = await newKey(gateway))
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await server.stop(true)
})

async function answer(request: Request): Promise<Response> {
  const path = new URL(request.url).pathname
  const isForm = request.headers.get('content-type')?.startsWith('multipart/')
  const fields = isForm ? Object.fromEntries(await request.formData()) : ((await request.json()) as Fields)
  sent.push({ path, headers: request.headers, fields: fields as Fields })
  if (path.endsWith('/embeddings')) return Response.json({ data: [{ index: 0, embedding: [0.5, -0.125] }] })
  if ('texts' in fields) return Response.json([{ index: 1, score: 0.5 }])
  if ('top_k' in fields) return Response.json({ data: [{ index: 1, relevance_score: 0.5 }] })
  if (/\/reranks?$/.test(path)) return Response.json({ results: [{ index: 1, relevance_score: 0.5 }] })
  if (path.endsWith('/speech')) return new Response('ID3 sound', { headers: { 'content-type': 'audio/mpeg' } })
  if (path.endsWith('/moderations')) return Response.json({ id: 'm', results: [{ flagged: false }] })
  return Response.json({ text: 'Heard.' })
}

function ask(id: ServiceId, model: string, fields: Fields): Promise<Response> {
  const path = id === 'embeddings' || id === 'rerank' || id === 'moderations' ? id : `audio/${id}`
  const headers = { authorization: `Bearer ${secret}` }
  if (!id.startsWith('trans')) {
    const body = JSON.stringify({ model, ...fields })
    const json = { ...headers, 'content-type': 'application/json' }
    return fetch(`${gateway.url}/v1/${path}`, { method: 'POST', headers: json, body })
  }
  const form = new FormData()
  for (const [name, value] of Object.entries({ model, ...fields })) form.append(name, String(value))
  form.append('file', new Blob([wavOf(1)], { type: 'audio/wav' }), 'a.wav')
  return fetch(`${gateway.url}/v1/${path}`, { method: 'POST', headers, body: form })
}

test('every service of every kind is tested', () => {
  const described = [...KINDS.values()].flatMap(({ kind, services = {} }) =>
    Object.keys(services).map((id) => [kind, id]),
  )
  expect(ROWS.map(([kind, id]) => [kind, id]).toSorted()).toEqual(described.toSorted())
})

test.each(ROWS)('%s: %s', async (kind, id, [path, fields, { warnings = null, rejects, credential } = {}]) => {
  const model = `${kind}-${TYPES[id][0]}`
  const before = sent.length
  const first = await ask(id, model, ASKED[id])
  const { dimensions: _, ...without } = ASKED[id]
  if (rejects) {
    expect([first.status, await first.json()]).toMatchObject([400, { error: { param: 'dimensions' } }])
    expect(sent.length).toBe(before)
  }
  const response = rejects ? await ask(id, model, without) : first
  const text = await response.text()
  expect([response.status, text, response.headers.get('x-trivium-warnings')]).toEqual([200, text, warnings])
  const { path: asked, headers, fields: got } = sent.at(-1) ?? { path: '', headers: new Headers(), fields: {} }
  const { file: _file, model: named, ...own } = got
  expect([asked, named, own]).toEqual([path, 'texts' in fields ? undefined : 'm', fields])
  const key = credential ? headers.get(credential) : headers.get('authorization')?.replace(/^Bearer /, '')
  expect(key).toBe(`key-of-${kind}`)
  if (id === 'embeddings') expect(JSON.parse(text).data[0].embedding).toBe('AAAAPwAAAL4=')
  if (id === 'rerank') expect(JSON.parse(text).results).toMatchObject([{ index: 1, document: { text: 'b' } }])
  if (id === 'transcriptions') expect(text).toContain('"transcript.text.done"')
})
