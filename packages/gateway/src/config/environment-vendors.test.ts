// A vendor's environment variable alone switches it on; whatever the file says wins.
import { describe, expect, test } from 'bun:test'
import { BUILT_IN } from '../server/config.ts'
import { assemble } from './assemble.ts'
import { SANDBOX_MODELS } from './sandbox.ts'
import type { BuiltIn } from './upstream-kinds.ts'

type Env = Record<string, string | undefined>

function load(source: string, env: Env, builtIn: BuiltIn = BUILT_IN) {
  const { config, mistakes } = assemble({ source, file: '/etc/trivium.yaml', env }, builtIn)
  if (!config) throw new Error(JSON.stringify(mistakes))
  return config
}

const FOUR = [
  ['OPENAI_API_KEY', 'openai', 'gpt-4.1', ['responses', 'chat']],
  ['ANTHROPIC_API_KEY', 'anthropic', 'claude-opus-5', ['messages']],
  ['GEMINI_API_KEY', 'gemini', 'gemini-3.5-flash', ['generate-content']],
  ['ARK_API_KEY', 'ark', 'seed-1-8-251228', ['chat', 'responses']],
] as const

test.each(FOUR)('%s alone is %s with its models, prices and limits', (variable, kind, model, dialects) => {
  const config = load('', { [variable]: 'hunter2' })
  const { upstreams, models, groups, sandbox, warnings, priceList } = config
  // Trial credit would be the operator's own money at the vendor.
  expect(config.registration.open).toBe(false)
  expect([...upstreams.keys()]).toEqual([kind])
  const upstream = upstreams.get(kind)
  expect(upstream).toMatchObject({ kind, keys: ['hunter2'], dialect: dialects[0], breaker: true })
  expect(upstream?.endpoints.map(({ dialect }) => dialect)).toEqual([...dialects])
  const listed = BUILT_IN.priceList().vendors.find((vendor) => vendor.kind === kind)
  expect([...models.keys()].sort()).toEqual(listed?.models.map(({ id }) => id).sort() ?? [])
  const known = models.get(model)
  const entry = listed?.models.find(({ id }) => id === model)
  expect(known).toMatchObject({ price: entry?.price, limits: entry?.limits })
  expect(known?.routes as unknown).toEqual([{ upstream: kind, model, priority: 1, weight: 1, cost: entry?.price }])
  expect(known?.priceVersion).not.toBe('')
  expect([...groups.keys()]).toEqual(['default'])
  expect(sandbox.on).toBe(false)
  expect(priceList).toBe(BUILT_IN.priceList().date)
  expect(warnings.join()).not.toContain('hunter2')
})

test('without a variable the price list is not read', () => {
  const none: BuiltIn = {
    ...BUILT_IN,
    priceList: () => {
      throw new Error('read')
    },
  }
  const unused = { OPENAI_API_KEY: '', PATH: '/bin', MISTRAL_API_KEY: 'k' }
  expect([...load('', unused, none).upstreams.keys()]).toEqual(['sandbox'])
  expect(load('', unused, none).priceList).toBeUndefined()
  expect(() => load('', { ARK_API_KEY: 'k' }, none)).toThrow('read')
})

describe('image models', () => {
  test('come with the key of their vendor, priced and limited', () => {
    const { models, upstreams } = load('', { OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k', ARK_API_KEY: 'k' })
    expect(models.get('gpt-image-2')).toMatchObject({
      type: 'image',
      routes: [{ upstream: 'openai', model: 'gpt-image-2', cost: { tokens: { imageOutput: 30_000_000_000n } } }],
      price: { tokens: { input: 5_000_000_000n, imageInput: 8_000_000_000n } },
      limits: { sizeRange: { multipleOf: 16, maxRatio: 3 }, qualities: ['low', 'medium', 'high'], n: 10 },
    })
    expect(upstreams.get('openai')?.images).toMatchObject({
      generations: '/images/generations',
      edits: '/images/edits',
    })
    expect(models.get('gemini-3-pro-image')?.routes[0]?.upstream).toBe('gemini')
    expect(models.get('seedream-4-0-250828')?.price).toMatchObject({ perImage: 30_000_000n })
    expect(upstreams.get('ark')?.images).not.toHaveProperty('edits')
    expect(models.has('sandbox-image')).toBe(false)
    expect(models.get('seedance-1-5-pro-251215')).toMatchObject({
      type: 'video',
      routes: [{ upstream: 'ark', cost: { per: 'million_tokens', price: 2_400_000_000n } }],
      limits: { seconds: [4, 12], defaultSeconds: 5 },
    })
    expect(models.get('veo-3.1-fast-generate-preview')?.routes[0]?.upstream).toBe('gemini')
    expect(upstreams.get('ark')?.videos).toEqual({ credential: 'bearer' })
  })

  test('a model of the file has the limits of the well-known model behind it, unless it sets its own', () => {
    const { models, warnings } = load(
      `models:
  - { id: pic, type: image, routes: [{ upstream: openai, model: gpt-image-2-2026-04-21 }], price: { per_image: 1 }, limits: { n: 2 } }
  - { id: listed, type: image, routes: [{ upstream: openai, model: gpt-image-2 }], price: { per_image: 1 }, limits: { sizes: [64x64] } }
  - { id: gpt-image-2, type: image, routes: [{ upstream: openai, model: other }], price: { per_image: 1 } }`,
      { OPENAI_API_KEY: 'k' },
    )
    expect(models.get('pic')).toMatchObject({
      limits: { sizeRange: { maxRatio: 3 }, qualities: ['low', 'medium', 'high'], n: 2 },
    })
    expect(models.get('listed')).toMatchObject({ limits: { sizes: ['64x64'], n: 10 } })
    expect(models.get('listed')).not.toHaveProperty('limits.sizeRange')
    expect(models.get('gpt-image-2')).toMatchObject({ limits: {} })
    expect(warnings).toEqual([expect.stringMatching(/: gpt-image-2$/)])
  })
})

describe('beside a file', () => {
  const env = { OPENAI_API_KEY: 'from-the-environment', ANTHROPIC_API_KEY: 'other' }

  test('a key that the file uses enables no second upstream', () => {
    const own = `upstreams: [{ id: main, kind: openai, keys: ["\${OPENAI_API_KEY}"] }]`
    const { upstreams, models } = load(own, env)
    expect([...upstreams.keys()]).toEqual(['main', 'anthropic'])
    expect(models.has('gpt-4.1')).toBe(false)
    expect(models.has('claude-opus-5')).toBe(true)
  })

  test('an upstream of the same id in the file wins, with a warning', () => {
    const { upstreams, models, warnings } = load('upstreams: [{ id: openai, kind: ollama }]', env)
    expect(upstreams.get('openai')).toMatchObject({ kind: 'ollama', keys: ['none'] })
    expect(models.has('gpt-4.1')).toBe(false)
    expect(warnings).toEqual([expect.stringContaining('OPENAI_API_KEY is set, but the file has an upstream openai')])
    expect(warnings.join()).not.toContain('from-the-environment')
  })

  test('a model of the same id in the file wins, with a warning; other models may be routed to the vendor by its id', () => {
    const { models, warnings } = load(
      `models:
  - { id: gpt-4.1, routes: [{ upstream: openai, model: gpt-4.1-mini }], price: { input: 9, output: 9 } }
  - { id: cheap, routes: [{ upstream: openai, model: gpt-4o-mini }], price: { input: 1, output: 1 } }`,
      env,
    )
    expect(models.get('gpt-4.1')?.routes[0]?.model).toBe('gpt-4.1-mini')
    expect(models.get('gpt-4.1')?.price).toMatchObject({ input: 9_000_000_000n })
    expect(models.get('cheap')?.routes[0]?.upstream).toBe('openai')
    expect(models.has('gpt-4o-mini')).toBe(true)
    expect(warnings).toEqual([expect.stringMatching(/the file's own models are used .*: gpt-4\.1$/)])
  })

  test('groups may list the vendor’s models; the sandbox exists if configured, with only its own model in its group', () => {
    const { groups, sandbox, models } = load('sandbox: true\ngroups: [{ id: default, models: [gpt-4.1] }]', env)
    expect(sandbox.on).toBe(true)
    expect(models.has('sandbox-text')).toBe(true)
    expect(groups.get('sandbox')?.models).toEqual(SANDBOX_MODELS.toSorted())
    expect(groups.get('default')?.models).toEqual(['gpt-4.1'])
  })
})

test.each(['two words', 'line\nend', ' padded', 'ключ'])('an invalid key in the variable is a mistake: %j', (value) => {
  const { config, mistakes } = assemble({ source: '', file: 'f', env: { OPENAI_API_KEY: value } }, BUILT_IN)
  expect(config).toBeUndefined()
  expect(mistakes).toEqual([
    { file: 'environment', line: undefined, message: expect.stringContaining('OPENAI_API_KEY contains spaces') },
  ])
  expect(JSON.stringify(mistakes)).not.toContain(value)
})

describe('the date of the list', () => {
  const day = 24 * 3600 * 1000
  const at = (days: number): BuiltIn => ({ ...BUILT_IN, now: () => Date.parse(BUILT_IN.priceList().date) + days * day })
  const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }

  test('is warned about after 120 days, if the list is used', () => {
    expect(load('', env, at(120)).warnings).toEqual([])
    expect(load('', env, at(121)).warnings).toEqual([expect.stringContaining('the built-in prices are from 20')])
    expect(load('', {}, at(1000)).warnings).toEqual([])
  })

  test('is part of the hash, as are the enabled vendors, but not their keys', () => {
    const list = BUILT_IN.priceList()
    const newer: BuiltIn = { ...BUILT_IN, priceList: () => ({ ...list, date: '2027-01-01' }) }
    const { hash } = load('', env)
    expect(load('', { ...env, OPENAI_API_KEY: 'other' }).hash).toBe(hash)
    expect(load('', env, newer).hash).not.toBe(hash)
    expect(load('', { OPENAI_API_KEY: 'k' }).hash).not.toBe(hash)
  })
})
