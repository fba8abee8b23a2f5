// The descriptions: complete, consistent with each other, with the price list and with the configuration.
// Their page, docs/reference/upstream-kinds.md, is generated.
import { describe, expect, test } from 'bun:test'
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { assemble } from '../../config/assemble.ts'
import { dialectsFor } from '../../config/upstream-dialects.ts'
import { authServiceOf, type UpstreamKind } from '../../config/upstream-kinds.ts'
import { BUILT_IN } from '../../server/config.ts'
import { dialectFor } from '../endpoint.ts'
import { readPriceList } from '../prices/price-list.ts'
import { KINDS } from './index.ts'

const ALL = [...KINDS.values()]

function load({ kind, baseUrl, example = '' }: UpstreamKind, more = '') {
  const address = baseUrl ? '' : `, base_url: "${example}"`
  return assemble(
    { source: `upstreams: [{ id: up, kind: ${kind}, keys: [k]${address}${more} }]`, file: 'f', env: {} },
    BUILT_IN,
  )
}

test('every documented vendor has a kind', () => {
  expect(ALL.map(({ kind }) => kind)).toEqual([
    'openai',
    'anthropic',
    'gemini',
    'ark',
    'azure',
    'azure-classic',
    'azure-claude',
    'vertex',
    'vertex-claude',
    'vertex-express',
    'bedrock',
    'bedrock-claude',
    'bedrock-invoke',
    'bedrock-mantle',
    'deepseek',
    'mistral',
    'groq',
    'xai',
    'moonshot',
    'qwen',
    'openrouter',
    'together',
    'fireworks',
    'ollama',
    'vllm',
    'llama-cpp',
    'lm-studio',
    'cohere',
    'voyage',
    'jina',
    'siliconflow',
    'tei',
    'infinity',
    'speaches',
  ])
  expect(ALL.filter(({ testedWith }) => testedWith === 'sandbox').length).toBeGreaterThanOrEqual(8)
})

describe.each(ALL)('$kind', (kind) => {
  test('loads with its own base URL or the example', () => {
    const { config, mistakes } = load(kind)
    expect(mistakes).toEqual([])
    const { endpoints, service } = kind
    expect(config?.upstreams.get('up')).toMatchObject({
      kind: kind.kind,
      baseUrl: kind.baseUrl ?? kind.example,
      dialect: endpoints[0]?.dialect ?? 'chat',
      endpoints: [...endpoints],
      ...(service ? { service } : {}),
    })
    expect(config?.sandbox.on).toBe(false)
  })

  test('can be restricted to each of its dialects', () => {
    for (const { dialect } of kind.endpoints) {
      const { config } = load(kind, `, dialect: ${dialect}`)
      expect(config?.upstreams.get('up')?.endpoints.map((each) => each.dialect)).toEqual([dialect])
      expect(config?.upstreams.get('up')).not.toHaveProperty('images')
    }
    if (!kind.images) return
    const only = load(kind, ', dialect: images').config?.upstreams.get('up')
    expect(only).toMatchObject({ dialect: 'images', endpoints: [], images: kind.images })
  })

  test('names its source, has each dialect once, and has a base URL or an example', () => {
    expect(URL.canParse(kind.source)).toBe(true)
    expect(kind.baseUrl === undefined).toBe(kind.example !== undefined)
    const dialects = kind.endpoints.map(({ dialect }) => dialect)
    expect(new Set(dialects).size).toBe(dialects.length)
    for (const { path } of kind.endpoints) expect(path).toMatch(/^\/[^?]+$/)
    // A key must not cross the network in the clear.
    expect(kind.keyless === true || (kind.baseUrl ?? kind.example ?? '').startsWith('https://')).toBe(true)
  })
})

/** What a chat service of this kind is sent for a wish to think hard. */
function thinkingHard(kind: string, model: string) {
  const asked = { model, messages: [{ role: 'user', content: 'Hi.' }] }
  const request = TEXT_DIALECTS.chat.decodeRequest(asked, undefined)
  const { body } = TEXT_DIALECTS.chat.encodeRequest(
    { ...request, reasoning: { mode: 'on', effort: 'high' } },
    {
      model,
      maxOutput: undefined,
      service: KINDS.get(kind)?.service,
      warn: () => {},
      unseal: () => undefined,
      fetched: () => ({ kind: 'inline', mime: 'image/png', data: '' }),
    },
  )
  return body
}

// The maker of a model has fields that others who host it reject.
test.each([
  'groq',
  'together',
  'fireworks',
  'bedrock',
  'azure',
  'ollama',
  'vllm',
  'llama-cpp',
  'lm-studio',
])('the name of a model does not change the reasoning effort fields of %s', (kind) => {
  for (const model of ['accounts/host/models/deepseek-v4-pro', 'maker/kimi-k2', 'glm-5', 'gpt-oss']) {
    expect(thinkingHard(kind, model)).toMatchObject({ reasoning_effort: 'high' })
    expect(thinkingHard(kind, model)).not.toHaveProperty('thinking')
  }
})

test('the reasoning effort fields of Kimi depend on its generation', () => {
  expect(thinkingHard('moonshot', 'kimi-k3')).toMatchObject({ reasoning_effort: 'high' })
  expect(thinkingHard('moonshot', 'kimi-k3')).not.toHaveProperty('thinking')
  expect(thinkingHard('moonshot', 'kimi-k2.6')).toMatchObject({ thinking: { type: 'enabled' } })
  expect(thinkingHard('moonshot', 'kimi-k2.6')).not.toHaveProperty('reasoning_effort')
})

test('the price list and the kinds agree on the vendors that an environment variable enables', () => {
  const { vendors } = readPriceList()
  const enabled = vendors.flatMap((vendor) =>
    vendor.variable === undefined ? [] : { ...vendor, variable: vendor.variable },
  )
  expect(enabled.map(({ kind, variable }) => [kind, variable])).toEqual(
    ALL.flatMap(({ kind, keyVariable }) => (keyVariable ? [[kind, keyVariable]] : [])),
  )
  for (const { kind, variable, upstreams, models } of enabled) {
    const text = upstreams.find(({ types }) => types.includes('text'))
    expect(text).toMatchObject({
      dialect: KINDS.get(kind)?.endpoints[0]?.dialect,
      baseUrl: KINDS.get(kind)?.baseUrl ?? '',
    })
    const image = upstreams.find(({ types }) => types.includes('image'))
    const { config, mistakes } = assemble({ source: '', file: 'f', env: { [variable]: 'k' } }, BUILT_IN)
    expect(mistakes).toEqual([])
    expect([...(config?.models.keys() ?? [])]).toEqual(models.map(({ id }) => id))
    const upstream = config?.upstreams.get(kind)
    expect([kind, upstream && dialectFor(upstream, 'image')]).toEqual([kind, image?.dialect as ImageDialectId])
    if (image) expect(image.baseUrl).toBe(upstream?.baseUrl ?? '')
  }
})

// What the console proposes for a new upstream must load, whichever vendor it is.
test.each(readPriceList().vendors)('the models of $kind in the price list fit its kind', ({
  kind,
  upstreams,
  models,
}) => {
  const upstream = load(KINDS.get(kind) as UpstreamKind).config?.upstreams.get('up')
  for (const { types, dialect, baseUrl } of upstreams) {
    expect(baseUrl).toBe(upstream?.baseUrl ?? '')
    for (const type of types)
      expect({ type, dialects: upstream && dialectsFor(upstream, type) }).toEqual({
        type,
        dialects: expect.arrayContaining([dialect]),
      })
  }
  const written = models.map(({ id, type, written }) => ({ id, type, routes: [{ upstream: 'up' }], ...written }))
  const source = JSON.stringify({ upstreams: [{ id: 'up', kind, keys: ['k'] }], models: written })
  expect(assemble({ source, file: 'f', env: {} }, BUILT_IN).mistakes).toEqual([])
})

/** Where each cloud is, and the base URL that follows from it. */
test.each([
  ['bedrock, region: eu-west-1', 'https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1', 'bedrock'],
  ['bedrock-claude, region: us-east-1', 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic', 'bedrock'],
  ['bedrock-invoke, region: cn-north-1', 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn', 'bedrock'],
  ['bedrock-mantle, region: us-west-2', 'https://bedrock-mantle.us-west-2.api.aws', 'bedrock-mantle'],
  [
    'bedrock-claude, base_url: "https://bedrock-mantle.us-west-2.api.aws/anthropic"',
    'https://bedrock-mantle.us-west-2.api.aws/anthropic',
    'bedrock-mantle',
  ],
  ['vertex, project: acme', 'https://aiplatform.googleapis.com/v1/projects/acme/locations/global', undefined],
  [
    'vertex, project: acme, location: us',
    'https://aiplatform.us.rep.googleapis.com/v1/projects/acme/locations/us',
    undefined,
  ],
  [
    'vertex-claude, project: acme, location: europe-west1',
    'https://europe-west1-aiplatform.googleapis.com/v1/projects/acme/locations/europe-west1',
    undefined,
  ],
  ['azure, resource: acme', 'https://acme.openai.azure.com/openai/v1', 'https://cognitiveservices.azure.com/.default'],
  [
    'azure, base_url: "https://acme.services.ai.azure.com/openai/v1"',
    'https://acme.services.ai.azure.com/openai/v1',
    'https://ai.azure.com/.default',
  ],
  [
    'azure-classic, resource: acme',
    'https://acme.openai.azure.com/openai',
    'https://cognitiveservices.azure.com/.default',
  ],
  [
    'azure, base_url: "https://acme.openai.azure.us/openai/v1"',
    'https://acme.openai.azure.us/openai/v1',
    'https://cognitiveservices.azure.us/.default',
  ],
  [
    'azure, base_url: "https://services.ai.azure.com.example.com/openai/v1"',
    'https://services.ai.azure.com.example.com/openai/v1',
    'https://cognitiveservices.azure.com/.default',
  ],
  ['azure-claude, resource: acme', 'https://acme.services.ai.azure.com/anthropic', 'https://ai.azure.com/.default'],
])('a cloud by its place: %s', (fields, url, service) => {
  const { config, mistakes } = assemble(
    { source: `upstreams: [{ id: up, keys: [k], kind: ${fields} }]`, file: 'f', env: {} },
    BUILT_IN,
  )
  expect(mistakes).toEqual([])
  const upstream = config?.upstreams.get('up')
  expect(upstream?.baseUrl).toBe(url)
  // Models that think are silent for minutes.
  expect(upstream?.timeouts.idleMs).toBe(300_000)
  expect(authServiceOf(KINDS.get(upstream?.kind ?? '') as UpstreamKind, url)).toBe(service)
})

test.each([
  [
    'bedrock',
    'Amazon Bedrock needs your own URL, such as https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1, or region',
  ],
  ['bedrock, region: "evil.example/"', 'expected the name of a region, such as us-east-1, not "evil.example/"'],
  ['vertex, location: global', 'needs your own URL'],
  ['vertex, project: "a/../b"', 'expected the name of a project'],
  ['azure, resource: "a.b"', 'expected the name of a resource'],
  ['azure, project: p, resource: a', 'the kind azure has no project; remove it'],
  ['openai, project: p', 'the kind openai has no project; remove it'],
  ['azure, resource: a, base_url: "https://a.openai.azure.com/openai/v1"', 'base_url already says where it is'],
  ['azure, resource: a, api_version: 2024-10-21', 'the kind azure is called without an API version'],
  ['azure-classic, resource: a, api_version: "a&b"', 'expected a version, such as 2024-10-21'],
])('a place that is none: %s', (fields, mistake) => {
  const { mistakes } = assemble(
    { source: `upstreams: [{ id: up, keys: [k], kind: ${fields} }]`, file: 'f', env: {} },
    BUILT_IN,
  )
  expect(mistakes.map(({ message }) => message).join('\n')).toContain(mistake)
})

test('a timeout of the file holds for a cloud, too, and the API version has a default', () => {
  const { config } = load(KINDS.get('azure-classic') as UpstreamKind, ', timeouts: { idle: 20s }')
  expect(config?.upstreams.get('up')).toMatchObject({ timeouts: { idleMs: 20_000 }, apiVersion: '2024-10-21' })
})

test('the region china is the base URL in mainland China, which has the form of the other one', () => {
  const mainland = ALL.flatMap((kind) => (kind.mainland ? [{ ...kind, baseUrl: kind.mainland.baseUrl }] : []))
  expect(mainland.map(({ kind }) => kind)).toEqual(['ark', 'moonshot', 'qwen', 'siliconflow'])
  for (const kind of mainland) {
    expect(load(kind, `, base_url: "${kind.baseUrl}"`).mistakes).toEqual([])
    const inChina = load(kind, ', region: china')
    expect(inChina.mistakes).toEqual([])
    expect(inChina.config?.upstreams.get('up')?.baseUrl).toBe(kind.baseUrl)
    const usual = KINDS.get(kind.kind)?.baseUrl ?? ''
    expect(load(kind, ', region: international').config?.upstreams.get('up')?.baseUrl).toBe(usual)
  }
})

test.each([
  ['kind: moonshot, region: us', 'expected one of international, china, not "us"'],
  ['kind: openai, region: china', 'the kind openai has no regions'],
  ['kind: azure, region: china, base_url: "https://a.openai.azure.com/openai/v1"', 'the kind azure has no region'],
  ['kind: moonshot, region: china, base_url: "https://api.moonshot.cn"', 'base_url already says where it is'],
  ['dialect: chat, region: china, base_url: "https://a.example.com/v1"', 'an upstream without kind has no regions'],
])('a region that is none: { %s }', (fields, mistake) => {
  const { mistakes } = assemble(
    { source: `upstreams: [{ id: up, keys: [k], ${fields} }]`, file: 'f', env: {} },
    BUILT_IN,
  )
  expect(mistakes.map(({ message }) => message).join('\n')).toContain(mistake)
})
