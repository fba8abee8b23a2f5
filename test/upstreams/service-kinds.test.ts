// Every service of every built-in kind through a real gateway: the path, the credential and the fields that the vendor documents.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Endpoint } from '../../packages/gateway/src/endpoints/endpoint.ts'
import { ENDPOINTS, SERVICE_PATHS, type ServiceId } from '../../packages/gateway/src/endpoints/index.ts'
import { KINDS } from '../../packages/gateway/src/upstreams/kinds/index.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { wavOf } from '../support/requests/audio.ts'

type Fields = Record<string, unknown>
type Sent = { path: string; headers: Headers; fields: Fields }

/** By service: the type of its models, with a price. */
const TYPES = Object.fromEntries(
  Object.entries<Endpoint>(ENDPOINTS).flatMap(([type, { services = {}, figures }]) =>
    Object.keys(services).map((id) => [
      id,
      [type, `{ ${figures.usual.map((figure) => `${figure}: 0.01`).join(', ')} }`] as const,
    ]),
  ),
) as Record<ServiceId, readonly [type: string, price: string]>
/** What clients send, with what only OpenAI's models know. */
const ASKED = {
  embeddings: { input: ['ab'], dimensions: 2, encoding_format: 'base64', user: 'ada' },
  rerank: { query: 'q', documents: ['a', { text: 'b' }], top_n: 1, return_documents: true },
  speech: { input: 'Hello.', voice: 'v', instructions: 'slowly', response_format: 'mp3' },
  transcriptions: { language: 'en', prompt: 'p', response_format: 'json', stream: 'true' },
  translations: { prompt: 'p', response_format: 'json' },
  moderations: { input: 'x' },
  completions: { prompt: 'p', max_tokens: 5, echo: true },
} satisfies Partial<Record<ServiceId, Fields>>
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const CONTINUED = ASKED.completions
const FILLED = { prompt: 'p', suffix: 's', max_tokens: 5 }
const VECTORS = { input: ['ab'], dimensions: 2, encoding_format: 'base64', user: expect.any(String) }
const { user: _user, ...NAMELESS } = VECTORS
const { dimensions: _dimensions, ...FULL } = VECTORS
const RANKED = { query: 'q', documents: ['a', 'b'], top_n: 1 }
const JINA = { ...RANKED, return_documents: false }
const SPOKEN = { input: 'Hello.', voice: 'v', response_format: 'mp3' }
const HEARD = ASKED.transcriptions
const { stream: _stream, ...WHOLE } = HEARD

type Expected = [
  path: string,
  fields: Fields,
  more?: { asked?: Fields; model?: string; warnings?: string; rejects?: true; credential?: 'api-key' },
]
const EXPECTED: Record<string, { [Id in ServiceId]?: Expected }> = {
  openai: {
    embeddings: ['/v1/embeddings', VECTORS],
    speech: ['/v1/audio/speech', { ...SPOKEN, instructions: 'slowly' }],
    transcriptions: ['/v1/audio/transcriptions', HEARD],
    translations: ['/v1/audio/translations', ASKED.translations],
    moderations: ['/v1/moderations', ASKED.moderations],
    completions: ['/v1/completions', { ...CONTINUED, user: expect.any(String) }, { model: 'davinci-002' }],
  },
  ark: { embeddings: ['/api/v3/embeddings', VECTORS] },
  deepseek: { completions: ['/beta/completions', FILLED, { asked: FILLED }] },
  'azure-classic': {
    embeddings: ['/openai/deployments/m/embeddings', VECTORS, { credential: 'api-key' }],
    speech: ['/openai/deployments/m/audio/speech', { ...SPOKEN, instructions: 'slowly' }, { credential: 'api-key' }],
    transcriptions: ['/openai/deployments/m/audio/transcriptions', HEARD, { credential: 'api-key' }],
    translations: ['/openai/deployments/m/audio/translations', ASKED.translations, { credential: 'api-key' }],
    completions: [
      '/openai/deployments/m/completions',
      { ...CONTINUED, user: expect.any(String) },
      { credential: 'api-key' },
    ],
  },
  azure: { embeddings: ['/openai/v1/embeddings', VECTORS, { credential: 'api-key' }] },
  mistral: {
    embeddings: [
      '/v1/embeddings',
      { input: ['ab'], output_dimension: 2, encoding_format: 'base64' },
      { warnings: 'user;dropped' },
    ],
    transcriptions: ['/v1/audio/transcriptions', { language: 'en', stream: 'true' }, { warnings: 'prompt;dropped' }],
    moderations: ['/v1/moderations', ASKED.moderations],
    completions: ['/v1/fim/completions', FILLED, { asked: FILLED, model: 'codestral-latest' }],
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
  ollama: { embeddings: ['/v1/embeddings', VECTORS], completions: ['/v1/completions', CONTINUED] },
  vllm: {
    embeddings: ['/v1/embeddings', VECTORS],
    rerank: ['/v1/rerank', JINA],
    transcriptions: ['/v1/audio/transcriptions', HEARD],
    translations: ['/v1/audio/translations', ASKED.translations],
    completions: ['/v1/completions', CONTINUED],
  },
  'llama-cpp': {
    embeddings: ['/v1/embeddings', FULL, { rejects: true }],
    rerank: ['/v1/rerank', JINA],
    completions: ['/v1/completions', CONTINUED],
  },
  'lm-studio': {
    embeddings: ['/v1/embeddings', FULL, { rejects: true }],
    completions: ['/v1/completions', CONTINUED],
  },
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
  const models = ROWS.map(([kind, id, [, , { model = 'm' } = {}]]) => {
    const [type, price] = TYPES[id]
    return `  - { id: ${kind}-${type}, type: ${type}, price: ${price}, routes: [{ upstream: ${kind}, model: ${model} }] }`
  })
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
  if (path.endsWith('/completions')) return Response.json({ choices: [{ index: 0, text: 'x' }], usage: USAGE })
  if (path.endsWith('/moderations')) return Response.json({ id: 'm', results: [{ flagged: false }] })
  return Response.json({ text: 'Heard.' })
}

function ask(id: ServiceId, model: string, fields: Fields): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}` }
  if (!id.startsWith('trans')) {
    const body = JSON.stringify({ model, ...fields })
    const json = { ...headers, 'content-type': 'application/json' }
    return fetch(`${gateway.url}/v1${SERVICE_PATHS[id]}`, { method: 'POST', headers: json, body })
  }
  const form = new FormData()
  for (const [name, value] of Object.entries({ model, ...fields })) form.append(name, String(value))
  form.append('file', new Blob([wavOf(1)], { type: 'audio/wav' }), 'a.wav')
  return fetch(`${gateway.url}/v1${SERVICE_PATHS[id]}`, { method: 'POST', headers, body: form })
}

test('every service of every kind is tested', () => {
  const described = [...KINDS.values()].flatMap(({ kind, services = {} }) =>
    Object.keys(services).map((id) => [kind, id]),
  )
  expect(ROWS.map(([kind, id]) => [kind, id]).toSorted()).toEqual(described.toSorted())
})

test.each(ROWS)('%s: %s', async (kind, id, [path, fields, more = {}]) => {
  const {
    warnings = null,
    rejects,
    credential,
    asked: given = (ASKED as Partial<Record<ServiceId, Fields>>)[id] ?? {},
    model: theirs = 'm',
  } = more
  const model = `${kind}-${TYPES[id][0]}`
  const before = sent.length
  const first = await ask(id, model, given)
  const { dimensions: _, ...without } = given
  if (rejects) {
    expect([first.status, await first.json()]).toMatchObject([400, { error: { param: 'dimensions' } }])
    expect(sent.length).toBe(before)
  }
  const response = rejects ? await ask(id, model, without) : first
  const text = await response.text()
  expect([response.status, text, response.headers.get('x-trivium-warnings')]).toEqual([200, text, warnings])
  const { path: asked, headers, fields: got } = sent.at(-1) ?? { path: '', headers: new Headers(), fields: {} }
  const { file: _file, model: named, ...own } = got
  expect([asked, named, own]).toEqual([path, 'texts' in fields ? undefined : theirs, fields])
  const key = credential ? headers.get(credential) : headers.get('authorization')?.replace(/^Bearer /, '')
  expect(key).toBe(`key-of-${kind}`)
  if (id === 'embeddings') expect(JSON.parse(text).data[0].embedding).toBe('AAAAPwAAAL4=')
  if (id === 'rerank') expect(JSON.parse(text).results).toMatchObject([{ index: 1, document: { text: 'b' } }])
  if (id === 'transcriptions') expect(text).toContain('"transcript.text.done"')
})
