// Frameworks as clients of both protocols of vectors: over the embedded model, and over upstreams of both.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { MAJORS, type Major } from '../../court/clients/ai-sdk.ts'
import { load } from '../../court/clients/load.ts'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'

const sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false, pace: 0 })
let gateway: Gateway
beforeAll(async () => {
  const model = (upstream: string) =>
    `  - { id: over-${upstream}, type: embedding, price: { input: 0.02 }, routes: [{ upstream: ${upstream}, model: sandbox-embedding }] }`
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'upstreams:',
      `  - { id: chat, dialect: chat, base_url: "${sandbox.url}/v1", keys: [k] }`,
      `  - { id: generate-content, dialect: generate-content, base_url: "${sandbox.url}/v1beta", keys: [k] }`,
      'models:',
      ...['chat', 'generate-content'].map(model),
    ].join('\n'),
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await sandbox.stop()
})

const MODELS = ['sandbox-embedding', 'over-chat', 'over-generate-content']
/** Another number than the model has by itself. */
const DIMENSIONS = 512
const TEXTS = ['the cat sat on the mat', 'The cat sat on a mat!', 'stock prices fell sharply today']
const QUERY = TEXTS[0] ?? ''

type Vector = readonly number[]
type Setting = { origin: string; apiKey: string; model: string }
type Result = { query: Vector; texts: Vector[] }
type Client = (setting: Setting) => Promise<Result>

type Embedding = { embedding: Vector; usage: { tokens: number } }
type AiSdk = {
  embed(options: object): Promise<Embedding>
  embedMany(options: object): Promise<{ embeddings: Vector[]; usage: { tokens: number } }>
}
type Factory = (options: object) => { textEmbeddingModel(model: string): unknown }

/** `version`: of the package of the provider that belongs to a version of `ai`. */
type Provider = { version(major: Major): string; factory: string; path: string; reportsUsage: boolean; options: object }
const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: {
    version: (major) => `openai-${major - 3}`,
    factory: 'createOpenAI',
    path: '/v1',
    reportsUsage: true,
    options: { openai: { dimensions: DIMENSIONS, user: 'u' } },
  },
  'openai-compatible': {
    version: (major) => `openai-compatible-${major - 4}`,
    factory: 'createOpenAICompatible',
    path: '/v1',
    reportsUsage: true,
    options: { gateway: { dimensions: DIMENSIONS, user: 'u' } },
  },
  google: {
    version: (major) => `google-${major - 3}`,
    factory: 'createGoogleGenerativeAI',
    path: '/v1beta',
    // It does not look for any.
    reportsUsage: false,
    options: { google: { outputDimensionality: DIMENSIONS, taskType: 'SEMANTIC_SIMILARITY' } },
  },
}

const aiSdk =
  (major: Major, { version, factory, path, reportsUsage, options }: Provider): Client =>
  async ({ origin, apiKey, model }) => {
    const { embed, embedMany } = await load<AiSdk>(`ai-${major}`)
    const create = (await load<Record<string, Factory>>(`@ai-sdk/${version(major)}`))[factory]
    const provider = create?.({ name: 'gateway', apiKey, baseURL: origin + path })
    const asked = { model: provider?.textEmbeddingModel(model), maxRetries: 0, providerOptions: options }
    const one = await embed({ ...asked, value: QUERY })
    const { embeddings, usage } = await embedMany({ ...asked, values: TEXTS })
    if (reportsUsage) expect([one.usage.tokens, usage.tokens]).toEqual([6, 20])
    return { query: one.embedding, texts: embeddings }
  }

type LangChain = new (
  options: object,
) => { embedQuery(text: string): Promise<Vector>; embedDocuments(texts: string[]): Promise<Vector[]> }

const langChain =
  (name: string, type: string, options: (origin: string) => object): Client =>
  async ({ origin, ...setting }) => {
    const Embeddings = (await load<Record<string, LangChain>>(name))[type] as LangChain
    const client = new Embeddings({ ...setting, ...options(origin), maxRetries: 0 })
    return { query: await client.embedQuery(QUERY), texts: await client.embedDocuments(TEXTS) }
  }
/** Without a format, the SDK within asks for base64 and decodes it. */
const langChainOpenAi = (encodingFormat?: string) =>
  langChain('@langchain/openai', 'OpenAIEmbeddings', (origin) => ({
    dimensions: DIMENSIONS,
    encodingFormat,
    configuration: { baseURL: `${origin}/v1` },
  }))

const CLIENTS: Readonly<Record<string, Client>> = {
  ...Object.fromEntries(
    MAJORS.flatMap((major) =>
      Object.entries(PROVIDERS).map(([name, provider]) => [`ai ${major}, ${name}`, aiSdk(major, provider)]),
    ),
  ),
  'LangChain, OpenAIEmbeddings, float': langChainOpenAi('float'),
  'LangChain, OpenAIEmbeddings': langChainOpenAi(),
  'LangChain, GoogleGenerativeAIEmbeddings': langChain(
    '@langchain/google-genai',
    'GoogleGenerativeAIEmbeddings',
    (baseUrl) => ({ baseUrl, outputDimensionality: DIMENSIONS, taskType: 'RETRIEVAL_DOCUMENT', title: 'T' }),
  ),
  async '@google/genai'({ origin, apiKey, model }) {
    const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } })
    const embed = async (contents: string | string[]) => {
      const { embeddings = [] } = await models.embedContent({
        model,
        contents,
        config: { outputDimensionality: DIMENSIONS },
      })
      return embeddings.map(({ values = [] }) => values)
    }
    return { query: (await embed(QUERY))[0] ?? [], texts: await embed(TEXTS) }
  },
}

const dot = (one: Vector, other: Vector) => one.reduce((sum, each, index) => sum + each * (other[index] ?? 0), 0)

describe.each(Object.entries(CLIENTS))('%s', (_, client) => {
  test.each(MODELS)('%s: one text and several', async (model) => {
    const { secret, settled } = await newKey(gateway)
    const { query, texts } = await client({ origin: gateway.url, apiKey: secret, model })
    expect([query, ...texts].map(({ length }) => length)).toEqual(Array(4).fill(DIMENSIONS))
    const [same = 0, similar = 0, other = 1] = texts.map((text) => dot(query, text))
    expect(same).toBeCloseTo(1, 5)
    expect(similar).toBeGreaterThan(0.7)
    expect(Math.abs(other)).toBeLessThan(0.3)
    // 20 tokens, and 6 of the query, at 0.02 USD per million.
    const charged = (input: number, cost_usd: string) => ({
      model,
      outcome: 'completed',
      cost_usd,
      receipt: { units: { input } },
    })
    expect(await settled()).toMatchObject([charged(20, '0.0000004'), charged(6, '0.00000012')])
  })
})
