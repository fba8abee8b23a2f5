// What a group offers, at which price; and what a call of a model that makes no text is told.
import { describe, expect, test } from 'bun:test'
import { TEST_CALLER } from '../../test-support/dependencies.ts'
import { authorize } from '../access/authorize.ts'
import { assemble } from '../config/assemble.ts'
import type { ModelType } from '../modalities/index.ts'
import { NO_OPTIONS } from '../money/prices/token-price.ts'
import { Failure } from '../request/failure.ts'
import { BUILT_IN } from '../server/config.ts'
import { UNREPORTED } from '../text/billing/charge.ts'
import { compileCatalogue, offerOf } from './catalogue.ts'
import { describeModel } from './describe-model.ts'

const { config } = assemble({
  source: `models:
  - { id: plain, routes: [{ upstream: sandbox, cost: { input: 1, output: 1, reasoning: 2 } }], price: { input: 2, output: 8 } }
  - { id: rich, routes: [{ upstream: sandbox }], price: { input: 2, output: 8, long_context: { above: 9, output: 9 }, tiers: { fast: 2, flex: { input: 1, output: 4, long_context: { above: 9, output: 5 } } }, tools: { web_search: 0.01 } } }
  - { id: bare, routes: [{ upstream: sandbox }] }
  - { id: drained, routes: [{ upstream: sandbox, weight: 0 }, { upstream: sandbox, model: other }], price: { input: 2, output: 8 } }
  - { id: img, type: image, routes: [{ upstream: sandbox, cost: { per_image: 0.02 } }], price: { per_image: 0.04, variants: { high: 0.17 } }, limits: { sizes: [64x64], n: 2 } }
  - { id: tokens, type: image, routes: [{ upstream: sandbox }], price: { input: 5, image_input: 8, image_output: 30 } }
  - { id: unpriced, type: image, routes: [{ upstream: sandbox }] }
  - { id: vid, type: video, routes: [{ upstream: sandbox, cost: { per_second: 0.02 } }], price: { per_second: 0.04, variants: { 1080p: 0.1 } }, limits: { seconds: [2, 10], resolutions: [720p, 1080p], images: 2 } }
  - { id: silent, type: video, routes: [{ upstream: sandbox }] }
groups:
  - { id: default, models: ["*"], multiplier: 1.5 }
  - id: own
    models: [plain, bare]
    multiplier: 1.5
    prices: { plain: { input: 1, output: 4 }, bare: { input: 3, output: 3 } }
  - { id: pictures, models: [img, vid], multiplier: 9, prices: { img: { per_image: 0.01 }, vid: { per_video: 1 } } }
`,
  file: 'f',
  env: {},
})
if (!config) throw new Error('the configuration of this test has a mistake')
const catalogue = compileCatalogue(config, 0)
const offer = (group: string, model: string) => offerOf(catalogue, group, model, 'text')
const described = (model: string, offered = catalogue) =>
  describeModel(authorize(TEST_CALLER, model, undefined, offered))

test('a route of weight 0 gets no requests', () => {
  expect(offer('default', 'drained')?.candidates.map(({ route }) => route.model)).toEqual(['other'])
})

describe('a group', () => {
  test('has the model’s price at its multiplier', () => {
    expect(offer('default', 'plain')?.rate).toMatchObject({ multiplierMillionths: 1_500_000n, plain: true })
    expect(offer('default', 'rich')?.rate).toMatchObject({ multiplierMillionths: 1_500_000n, plain: false })
    expect(offer('default', 'bare')).toBeUndefined()
  })

  test('may have its own price, with its own version and without the multiplier', () => {
    const own = offer('own', 'plain')
    expect(own?.rate).toMatchObject({ price: { input: 1_000_000_000n }, multiplierMillionths: 1_000_000n })
    expect(own?.priceVersion).not.toBe(offer('default', 'plain')?.priceVersion ?? '')
    const charge = own?.rate.cost({ usage: { ...UNREPORTED, input: 1, output: 0 }, options: NO_OPTIONS })
    expect(charge?.figures).toContain('"input":"1000000000"')
  })

  test('may price a model that is otherwise unpriced', () => {
    expect(offer('own', 'bare')?.rate.price.input).toBe(3_000_000_000n)
  })
})

test('the cost of a route is compiled for billing', () => {
  const [candidate] = offer('default', 'plain')?.candidates ?? []
  expect(candidate?.costRate).toMatchObject({ multiplierMillionths: 1_000_000n, plain: false })
  expect(offer('default', 'rich')?.candidates[0]).not.toHaveProperty('costRate')
})

describe('a model on the wrong endpoint', () => {
  const rejection = (type: ModelType, group: string, model: string, models?: string[]) => {
    const restrictions = { ...TEST_CALLER.restrictions, ...(models ? { models } : {}) }
    try {
      authorize({ ...TEST_CALLER, group, restrictions }, model, type, catalogue)
    } catch (thrown) {
      return thrown instanceof Failure ? [thrown.info.code, thrown.message] : thrown
    }
  }

  test.each([
    ['an image model for text', 'text', 'default', 'img', 'bad_request', 'POST /v1/images/generations'],
    ['a text model for images', 'image', 'default', 'plain', 'bad_request', 'POST /v1/chat/completions'],
    ['an image model of another group', 'text', 'own', 'img', 'model_not_allowed', 'does not include'],
    ['a text model of another group', 'image', 'own', 'rich', 'model_not_allowed', 'does not include'],
    ['a video model for text', 'text', 'default', 'vid', 'bad_request', 'POST /api/v3/contents/generations/tasks'],
    ['a video model for images', 'image', 'default', 'vid', 'bad_request', 'generates videos'],
    ['a video model of another group', 'text', 'own', 'vid', 'model_not_allowed', 'does not include'],
    ['a text model for videos', 'video', 'default', 'plain', 'bad_request', 'POST /v1/chat/completions'],
    ['an image model for videos', 'video', 'default', 'img', 'bad_request', 'POST /v1/images/generations'],
    ['an image model of another group for videos', 'video', 'own', 'img', 'model_not_allowed', 'include'],
    ['no model for videos', 'video', 'default', 'nothing', 'model_not_found', 'does not exist'],
    ['a video model without a price', 'video', 'default', 'silent', 'model_not_found', 'does not exist'],
    ['no model', 'image', 'default', 'nothing', 'model_not_found', 'does not exist'],
    ['an image model without a price', 'image', 'default', 'unpriced', 'model_not_found', 'does not exist'],
  ] as const)('%s', (_, type, group, model, code, says) => {
    expect(rejection(type, group, model)).toEqual([code, expect.stringContaining(says)])
  })

  test('a key that does not allow the model does not learn what it generates', () => {
    expect(rejection('text', 'default', 'img', ['plain'])).toEqual(['model_not_allowed', expect.anything()])
    expect(rejection('image', 'default', 'img', ['plain'])).toEqual(['model_not_allowed', expect.anything()])
    expect(rejection('video', 'default', 'img', ['plain'])).toEqual(['model_not_allowed', expect.anything()])
    expect(rejection('video', 'default', 'vid', ['plain'])).toEqual(['model_not_allowed', expect.anything()])
  })
})

test('text models are listed with the prices of long contexts, service tiers and hosted tools', () => {
  const figures = (input: string, output: string) => ({ input, output, cached_input: input, cache_write: input })
  expect(described('rich').price).toEqual({
    ...figures('3.00', '12.00'),
    long_context: [{ above: 9, ...figures('3.00', '13.50') }],
    // A multiplier is one of the price of tokens, whatever the group.
    tiers: {
      fast: '2',
      flex: { ...figures('1.50', '6.00'), long_context: [{ above: 9, ...figures('1.50', '7.50') }] },
    },
    tools: { web_search: '0.015' },
  })
})

test('a text model without an output limit in the file is listed with the least of its routes, if all are known', () => {
  const upstream = '{ id: a, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [k] }'
  const model = (id: string, ...behind: string[]) =>
    `{ id: ${id}, routes: [${behind.map((name) => `{ upstream: a, model: ${name} }`)}], price: { input: 1, output: 1 } }`
  const models = [model('both', 'large', 'small'), model('half', 'large', 'unknown')]
  const known: Record<string, number> = { large: 64_000, small: 8_000 }
  const builtIn = { ...BUILT_IN, limits: (_: string, name: string) => ({ maxOutput: known[name] }) }
  const loaded = assemble(
    { source: `upstreams: [${upstream}]\nmodels: [${models}]\n`, file: 'f', env: {} },
    builtIn,
  ).config
  if (!loaded) throw new Error('the configuration of this test has a mistake')
  const compiled = compileCatalogue(loaded, 0)
  expect(described('both', compiled).limits).toEqual({ context: null, max_output: 8_000 })
  expect(described('half', compiled).limits).toEqual({ context: null, max_output: null })
})

describe('image models', () => {
  test('are offered at the price of the group', () => {
    const one = { count: 1, size: undefined, quality: undefined }
    expect(offerOf(catalogue, 'default', 'img', 'image')?.rate.bound(one)).toBe(255_000_000n)
    expect(offerOf(catalogue, 'pictures', 'img', 'image')?.rate.bound(one)).toBe(10_000_000n)
    expect(offerOf(catalogue, 'own', 'img', 'image')).toBeUndefined()
    const [candidate] = offerOf(catalogue, 'default', 'img', 'image')?.candidates ?? []
    expect(candidate?.costRate?.bound(one)).toBe(20_000_000n)
    expect(authorize(TEST_CALLER, 'sandbox-image', 'image', catalogue).rate.bound(one)).toBe(60_000_000n)
    expect(offerOf(catalogue, 'default', 'sandbox-image:cut=3', 'image')?.model.id).toBe('sandbox-image')
  })

  test('are listed with prices, limits and protocols', () => {
    expect(described('img')).toEqual({
      type: 'image',
      price: { per_image: '0.06', variants: { high: '0.255' } },
      limits: { sizes: ['64x64'], qualities: ['low', 'medium', 'high'], n: 2 },
      protocols: ['images', 'generate-content'],
      capabilities: ['images'],
    })
    expect(described('sandbox-image').limits).toEqual({
      sizes: { min: 64, max: 2048 },
      qualities: ['low', 'medium', 'high'],
      n: 10,
    })
    expect(described('tokens').price).toEqual({ input: '7.50', image_input: '12.00', image_output: '45.00' })
    expect(described('plain')).toEqual({
      price: { input: '3.00', cached_input: '3.00', cache_write: '3.00', output: '12.00' },
      limits: { context: null, max_output: null },
      protocols: ['chat', 'responses', 'messages', 'generate-content', 'completions'],
      capabilities: ['images', 'tools', 'reasoning'],
    })
  })
})

describe('video models', () => {
  const hd = { resolution: '1080p', seconds: 10, tokens: undefined }

  test('are offered at the price of the group', () => {
    expect(offerOf(catalogue, 'default', 'vid', 'video')?.rate.bound(hd)).toBe(1_500_000_000n)
    expect(offerOf(catalogue, 'pictures', 'vid', 'video')?.rate.bound(hd)).toBe(1_000_000_000n)
    expect(offerOf(catalogue, 'own', 'vid', 'video')).toBeUndefined()
    const [candidate] = offerOf(catalogue, 'default', 'vid', 'video')?.candidates ?? []
    expect(candidate?.costRate?.bound(hd)).toBe(200_000_000n)
    expect(authorize(TEST_CALLER, 'sandbox-video', 'video', catalogue).rate.bound(hd)).toBe(750_000_000n)
    expect(offerOf(catalogue, 'default', 'sandbox-video:fails', 'video')?.model.id).toBe('sandbox-video')
  })

  test('are listed with prices, limits and protocols', () => {
    expect(described('vid')).toEqual({
      type: 'video',
      price: { per_second: '0.06', variants: { '1080p': '0.15' } },
      limits: {
        seconds: [2, 10],
        default_seconds: 5,
        resolutions: ['720p', '1080p'],
        default_resolution: null,
        ratios: null,
        images: 2,
      },
      protocols: ['video-tasks'],
      capabilities: ['images'],
    })
    expect(described('sandbox-video').price).toEqual({ per_second: '0.075', variants: {} })
  })
})
