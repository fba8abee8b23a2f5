// Model lists as the official SDKs read them. Two of them use the same path.

import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { dialectOfPath } from '@trivium/protocol/dialect-of-path.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import {
  generateContentModelEntry,
  generateContentModelList,
  type ListedModel,
  type ModelPage,
  modelEntry,
  modelList,
} from '@trivium/protocol/dialects/model-list.ts'
import OpenAI from 'openai'

const IDS = ['demo-large', 'vendor/demo-small:free', 'demo-image', 'demo-video', 'demo-five']
const MODELS: ListedModel[] = IDS.map((id, index) => ({
  id,
  created: 1_767_225_600 + index,
  owner: 'vendor-a',
  displayName: `Model ${id}`,
  protocols: ['chat', 'generate-content'],
  ...(index === 0 ? { context: 200_000, maxOutput: 64_000 } : {}),
}))

let asked = 0
beforeEach(() => {
  asked = 0
})

function pageOf(query: URLSearchParams): ModelPage {
  const [limit, afterId, beforeId] = ['limit', 'after_id', 'before_id'].map((name) => query.get(name) ?? undefined)
  return {
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(afterId === undefined ? {} : { afterId }),
    ...(beforeId === undefined ? {} : { beforeId }),
  }
}

const server = Bun.serve({
  port: 0,
  fetch(request) {
    asked += 1
    const url = new URL(request.url)
    const [, version, , name] = url.pathname.split('/')
    const native = version === 'v1beta'
    if (name === undefined) {
      const entry = native ? generateContentModelEntry : modelEntry
      const written = MODELS.map((model) => ({ id: model.id, json: JSON.stringify(entry(model)) }))
      const list = native ? generateContentModelList(written) : modelList(written, pageOf(url.searchParams))
      return new Response(list, { headers: { 'content-type': 'application/json' } })
    }
    const model = MODELS.find(({ id }) => id === decodeURIComponent(name))
    if (model !== undefined) return Response.json(native ? generateContentModelEntry(model) : modelEntry(model))
    const dialect = DIALECTS[dialectOfPath(url.pathname, request.headers)]
    const error = { code: 'model_not_found', message: `The model '${name}' does not exist` } as const
    const { status, body, headers } = dialect.encodeError(error, 'req_1')
    return Response.json(body, { status, headers })
  },
})
afterAll(() => server.stop(true))

const base = `http://127.0.0.1:${server.port}`
const openai = new OpenAI({ apiKey: 'sk-test', baseURL: `${base}/v1`, maxRetries: 0 })
const anthropic = new Anthropic({ apiKey: 'sk-test', baseURL: base, maxRetries: 0 })
const genai = new GoogleGenAI({ apiKey: 'sk-test', httpOptions: { baseUrl: base } })

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('openai', () => {
  test('list', async () => {
    const models = await collect(openai.models.list())
    expect(models.map(({ id }) => id)).toEqual(IDS)
    expect(models[0]).toMatchObject({ object: 'model', created: 1_767_225_600, owned_by: 'vendor-a' })
    expect(asked).toBe(1)
  })

  test('retrieve, also an id with a slash and a colon', async () => {
    for (const id of IDS) expect((await openai.models.retrieve(id)).id).toBe(id)
  })

  test('an unknown id', async () => {
    const thrown = await openai.models.retrieve('nope').catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(OpenAI.NotFoundError)
    expect(thrown).toMatchObject({ code: 'model_not_found', param: 'model' })
  })
})

describe('anthropic', () => {
  test('list', async () => {
    const models = await collect(anthropic.models.list())
    expect(models.map(({ id }) => id)).toEqual(IDS)
    expect(models[0]).toMatchObject({
      type: 'model',
      display_name: 'Model demo-large',
      created_at: '2026-01-01T00:00:00Z',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
    })
    expect(asked).toBe(1)
  })

  test('list page by page, forwards and backwards', async () => {
    const forwards = await collect(anthropic.models.list({ limit: 2 }))
    expect(forwards.map(({ id }) => id)).toEqual(IDS)
    expect(asked).toBe(3)
    const backwards = await collect(anthropic.models.list({ limit: 2, before_id: 'demo-five' }))
    expect(backwards.map(({ id }) => id).sort()).toEqual(IDS.slice(0, 4).sort())
    expect(asked).toBe(5)
  })

  test('retrieve, also an id with a slash and a colon', async () => {
    for (const id of IDS) expect((await anthropic.models.retrieve(id)).id).toBe(id)
  })

  test('an unknown id', async () => {
    const thrown = await anthropic.models.retrieve('nope').catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(Anthropic.NotFoundError)
    expect(thrown).toMatchObject({ type: 'not_found_error' })
  })
})

describe('genai', () => {
  test('list', async () => {
    const models = await collect(await genai.models.list())
    expect(models.map(({ name }) => name)).toEqual(IDS.map((id) => `models/${id}`))
    expect(models[0]).toMatchObject({
      displayName: 'Model demo-large',
      inputTokenLimit: 200_000,
      outputTokenLimit: 64_000,
    })
    expect(models[0]?.supportedActions).toContain('generateContent')
    expect(asked).toBe(1)
  })

  test('get', async () => {
    expect((await genai.models.get({ model: 'demo-large' })).name).toBe('models/demo-large')
  })
})
