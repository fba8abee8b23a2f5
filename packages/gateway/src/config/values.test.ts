// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax under test
// What is written is what counts: exact amounts, the environment in values, anchors, sizes and durations.
import { expect, test } from 'bun:test'
import type { PriceOf } from '../modalities/index.ts'
import type { TokenPrice } from '../money/prices/token-price.ts'
import { formatDuration, parseDuration, parseSize, suggestAmount } from '../yaml/units.ts'
import { assemble } from './assemble.ts'
import type { FileConfig } from './types.ts'
import { imageTimeoutsOf } from './upstream-defaults.ts'

type Variables = Record<string, string>

function load(source: string, env: Variables = {}): FileConfig {
  const loaded = assemble({ source, file: '/etc/trivium.yaml', env })
  expect(loaded.mistakes).toEqual([])
  if (!loaded.config) throw new Error('unreachable: no mistakes, no configuration')
  return loaded.config
}

const credit = (text: string, env: Variables = {}) =>
  assemble({ source: `registration: { trial_credit: ${text} }`, file: 'f', env }).config?.registration.trialCredit

// [written, nano-USD; undefined is a mistake]
const AMOUNTS: [string, bigint | undefined][] = [
  ['0', 0n],
  ['0.1', 100_000_000n],
  ['0.10', 100_000_000n],
  ['"0.1"', 100_000_000n],
  ['0.3', 300_000_000n],
  ['0.7', 700_000_000n],
  ['1.005', 1_005_000_000n],
  ['0.000000001', 1n],
  ['123456789.123456789', 123_456_789_123_456_789n],
  ['999999999.999999999', 999_999_999_999_999_999n],
  ['1000000000', 1_000_000_000_000_000_000n],
  ['1000000000.000000001', undefined],
  ['0.0000000001', undefined],
  ['1e-3', undefined],
  ['1E3', undefined],
  ['.5', undefined],
  ['5.', undefined],
  ['1_000', undefined],
  ['"1,000"', undefined],
  ['0x10', undefined],
  ['0o17', undefined],
  ['+1', undefined],
  ['-0.01', undefined],
  ['-0', undefined],
  ['.inf', undefined],
  ['.nan', undefined],
  ['true', undefined],
  ['"$5"', undefined],
  ['""', undefined],
  ['[1]', undefined],
]

test.each(AMOUNTS)('amount %s', (text, nanos) => expect(credit(text)).toBe(nanos))

test('an amount from the environment is exact, too', () => {
  expect(credit('"${CREDIT}"', { CREDIT: '0.1' })).toBe(100_000_000n)
  expect(credit('"0.${CENTS}"', { CENTS: '07' })).toBe(70_000_000n)
  expect(credit('"${CREDIT}"', { CREDIT: '1e1' })).toBeUndefined()
})

const SUGGESTIONS: [string, string | undefined][] = [
  ['1e-3', '0.001'],
  ['1.5e3', '1500'],
  ['25e-1', '2.5'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['+1', '1'],
  ['1_000', '1000'],
  ['1,000,000.50', '1000000.5'],
  ['$5', '5'],
  ['5 USD', '5'],
  ['0,5', undefined],
  ['free', undefined],
  ['', undefined],
]

test.each(SUGGESTIONS)('advice for %s', (text, advice) => expect(suggestAmount(text)).toBe(advice))

test('prices: missing cache prices default to the input price, an explicit zero is zero', () => {
  const { models } = load(`models:
  - { id: plain, routes: [{ upstream: sandbox }], price: { input: 0.15, output: 0.60 } }
  - { id: full, routes: [{ upstream: sandbox }], price: { input: 3, output: 15, cached_input: 0.30, cache_write: 3.75 } }
  - { id: free, routes: [{ upstream: sandbox }], price: { input: 0, output: 0.00 } }
  - { id: plain-again, routes: [{ upstream: sandbox }], price: { output: "0.6", input: 0.150 } }
  - { id: unpriced, routes: [{ upstream: sandbox }] }
`)
  const plain = { input: 150_000_000n, output: 600_000_000n, cachedInput: 150_000_000n, cacheWrite: 150_000_000n }
  expect(models.get('plain')?.price).toEqual(plain)
  expect(models.get('full')?.price).toEqual({
    input: 3_000_000_000n,
    output: 15_000_000_000n,
    cachedInput: 300_000_000n,
    cacheWrite: 3_750_000_000n,
  })
  expect(models.get('free')?.price).toEqual({ input: 0n, output: 0n, cachedInput: 0n, cacheWrite: 0n })
  expect(models.get('unpriced')?.price).toBeUndefined()

  const version = (id: string) => models.get(id)?.priceVersion
  expect(version('plain')).toMatch(/^[0-9a-f]{12}$/)
  expect(version('plain-again')).toBe(version('plain') ?? '')
  expect(new Set([version('plain'), version('full'), version('free')]).size).toBe(3)
})

const readPrice = (fields: string) =>
  load(`models: [{ id: m, routes: [{ upstream: sandbox }], price: { input: 2, output: 8, ${fields} } }]`).models.get(
    'm',
  )

const usd = (dollars: number): bigint => BigInt(dollars * 1e9)
const figures = (input: number, output: number, cachedInput = input, cacheWrite = input) => ({
  input: usd(input),
  output: usd(output),
  cachedInput: usd(cachedInput),
  cacheWrite: usd(cacheWrite),
})

// [written besides input 2 and output 8, what is read]
const PRICES: [string, object][] = [
  ['', figures(2, 8)],
  ['cached_input: 0, cache_write: 3, cache_write_1h: 4', { ...figures(2, 8, 0, 3), cacheWriteLong: usd(4) }],
  [
    'reasoning: 9, audio_output: 20, image_output: 40',
    { ...figures(2, 8), reasoning: usd(9), audioOutput: usd(20), imageOutput: usd(40) },
  ],
  [
    'audio_input: 10, cached_audio_input: 1, image_input: 5',
    { ...figures(2, 8), audioInput: usd(10), cachedAudioInput: usd(1), imageInput: usd(5) },
  ],
  // A long context has what it writes, else what the price writes, else what both fall back to.
  [
    'cache_write: 3, long_context: { above: 200000, input: 4 }',
    { ...figures(2, 8, 2, 3), longContext: [{ above: 200_000, figures: figures(4, 8, 4, 3) }] },
  ],
  [
    'reasoning: 9, long_context: [{ above: 20, output: 10, reasoning: 11 }, { above: 10, input: 3 }]',
    {
      ...figures(2, 8),
      reasoning: usd(9),
      longContext: [
        { above: 10, figures: { ...figures(3, 8), reasoning: usd(9) } },
        { above: 20, figures: { ...figures(2, 10), reasoning: usd(11) } },
      ],
    },
  ],
  // A tier with prices of its own stands on its own.
  [
    'cached_input: 1, tiers: { priority: 2.000001, flex: { input: 1.5, output: 4 } }',
    {
      ...figures(2, 8, 1),
      tiers: new Map<string, object>([
        ['priority', { multiplierMillionths: 2_000_001n }],
        ['flex', { figures: figures(1.5, 4), longContext: [] }],
      ]),
    },
  ],
  [
    'tools: { web_search: 0.01, my_own_tool: 0 }',
    {
      ...figures(2, 8),
      tools: new Map([
        ['web_search', usd(0.01)],
        ['my_own_tool', 0n],
      ]),
    },
  ],
]

test.each(PRICES)('a price with %s', (written, expected) => {
  expect(readPrice(written)?.price).toEqual(expected as TokenPrice)
})

test('each price has its own version, and the version of a four-figure price is stable', () => {
  const versions = PRICES.map(([written]) => readPrice(written)?.priceVersion)
  expect(new Set(versions).size).toBe(PRICES.length)
  expect(readPrice('')?.priceVersion).toBe(readPrice('cached_input: 2, cache_write: 2.0')?.priceVersion ?? '')
  expect(readPrice('tools: {}, tiers: {}')?.priceVersion).toBe(readPrice('')?.priceVersion ?? '')
})

test('prices of images and videos, and those of a group', () => {
  const { groups, models } = load(`models:
  - { id: text, routes: [{ upstream: sandbox }], price: { input: 2, output: 8 } }
  - { id: img, type: image, routes: [{ upstream: sandbox, cost: { per_image: 0.01 } }], price: { per_image: 0.04, variants: { "1024x1024/HIGH": 0.17, "1024x1024": 0.05, low: 0.01 } } }
  - { id: vid, type: video, routes: [{ upstream: sandbox }], price: { per_second: 0.05, variants: { 1080p: 0.12 } } }
  - { id: tok, type: image, routes: [{ upstream: sandbox }], price: { input: 5, image_input: 8, image_output: 32, cached_input: 1.25, output: 12 } }
  - { id: vid2, type: video, routes: [{ upstream: sandbox }], price: { per_million_tokens: 3 } }
groups:
  - { id: default, models: ["*"], multiplier: 2, prices: { text: { input: 1, output: 8 }, img: { per_image: 0.03 } } }
  - { id: same, models: ["*"], prices: { text: { input: 2, output: 8 } } }
`)
  expect(models.get('img')?.price).toEqual({
    perImage: usd(0.04),
    variants: new Map([
      ['1024x1024/high', usd(0.17)],
      ['1024x1024', usd(0.05)],
      ['low', usd(0.01)],
    ]),
  })
  expect(models.get('img')?.routes[0]?.cost).toMatchObject({ perImage: usd(0.01) })
  const films = { per: 'second', price: usd(0.05), variants: new Map([['1080p', usd(0.12)]]) }
  expect(models.get('vid')?.price).toEqual(films as PriceOf<'video'>)
  expect(models.get('vid2')?.price).toMatchObject({ per: 'million_tokens', price: usd(3) })
  expect(models.get('tok')?.price).toEqual({
    tokens: { input: usd(5), imageInput: usd(8), imageOutput: usd(32), cachedInput: usd(1.25), output: usd(12) },
  })
  const own = groups.get('default')
  expect(own?.prices?.get('text')?.price).toEqual(figures(1, 8))
  expect(own?.prices?.get('img')?.price).toMatchObject({ perImage: usd(0.03) })
  // Equal prices have equal versions.
  expect(groups.get('same')?.prices?.get('text')?.priceVersion).toBe(models.get('text')?.priceVersion ?? '')
  const versions = [models.get('text'), models.get('img'), models.get('vid'), own?.prices?.get('text')]
  expect(new Set(versions.map((each) => each?.priceVersion)).size).toBe(4)
})

test('limits of image models, and the model of the image tool', () => {
  const { models, tools } = load(`tools: { image_generation: { model: range } }
models:
  - { id: list, type: image, routes: [{ upstream: up }], price: { per_image: 1 }, limits: { sizes: ["1024X1024", "64x64"], qualities: [LOW, hd], n: 4 } }
  - { id: range, type: image, routes: [{ upstream: up }], price: { per_image: 1 }, limits: { sizes: { min: 64, max: 2048, multiple_of: 16, max_ratio: 3, min_pixels: 100, max_pixels: 200 } } }
upstreams: [{ id: up, dialect: images, base_url: "https://a.example.com/v1", keys: [none] }]
`)
  expect(models.get('list')).toMatchObject({
    limits: { sizes: ['1024x1024', '64x64'], qualities: ['low', 'hd'], n: 4 },
  })
  const range = models.get('range')
  expect(range?.type === 'image' && range.limits).toEqual({
    sizeRange: { least: 64, most: 2048, multipleOf: 16, maxRatio: 3, minPixels: 100, maxPixels: 200 },
  })
  expect(tools).toEqual({ imageGeneration: { model: 'range' } })
})

test('a range whose largest size has too few pixels is a mistake', () => {
  const source = `
models:
  - id: m
    type: image
    routes: [{ upstream: up }]
    price: { per_image: 1 }
    limits: { sizes: { min: 64, max: 99, min_pixels: 10000 } }
upstreams: [{ id: up, dialect: images, base_url: "https://a.example.com/v1", keys: [none] }]
`
  const { mistakes } = assemble({ source, file: 'f', env: {} })
  expect(mistakes.map(({ message }) => message)).toEqual([
    expect.stringContaining('limits.sizes: min_pixels is more than the largest size has'),
  ])
})

test.each([
  ['', { firstByteMs: 300_000, idleMs: 300_000, totalMs: 600_000, drainMs: 300_000 }],
  ['total: 20m', { firstByteMs: 300_000, idleMs: 300_000, totalMs: 1_200_000, drainMs: 300_000 }],
  ['first_byte: 30s', { firstByteMs: 30_000, idleMs: 300_000, totalMs: 600_000, drainMs: 300_000 }],
  ['first_byte: 8m', { firstByteMs: 480_000, idleMs: 300_000, totalMs: 600_000, drainMs: 480_000 }],
])('timeouts for images: %j', (timeouts, expected) => {
  const written = timeouts && `, timeouts: { ${timeouts} }`
  const { upstreams } = load(
    `upstreams: [{ id: up, dialect: images, base_url: "https://a.example.com/v1", keys: [none]${written} }]`,
  )
  const up = upstreams.get('up')
  expect(up && imageTimeoutsOf(up)).toEqual(expected)
  expect(up?.endpoints).toEqual([])
  expect(up?.images).toEqual({ generations: '/images/generations', edits: '/images/edits', credential: 'bearer' })
})

test('multipliers are exact millionths', () => {
  const multiplier = (text: string) =>
    load(`groups: [{ id: default, models: ["*"], multiplier: ${text} }]`).groups.get('default')?.multiplierMillionths
  expect(multiplier('1')).toBe(1_000_000n)
  expect(multiplier('0.85')).toBe(850_000n)
  expect(multiplier('1.000001')).toBe(1_000_001n)
  expect(multiplier('0')).toBe(0n)
})

// [value as written in YAML, environment, the key that results]
const REFERENCES: [string, Variables, string][] = [
  ['${KEY}', { KEY: 'abc' }, 'abc'],
  ['"${KEY}"', { KEY: 'abc' }, 'abc'],
  ["'${KEY}'", { KEY: 'abc' }, 'abc'],
  ['"a-${ONE}-${TWO}-z"', { ONE: '1', TWO: '2' }, 'a-1-2-z'],
  ['"$${KEY}"', { KEY: 'abc' }, '${KEY}'],
  ['"$$${KEY}"', { KEY: 'abc' }, '$${KEY}'],
  ['"$KEY"', { KEY: 'abc' }, '$KEY'],
  ['"${KEY}"', { KEY: '${OTHER}', OTHER: 'no' }, '${OTHER}'],
  ['"${KEY}"', { KEY: '"quoted"' }, '"quoted"'],
  ['"${KEY}"', { KEY: 'true' }, 'true'],
  ['012345', {}, '012345'],
  ['1e5', {}, '1e5'],
]

test.each(REFERENCES)('%s with %o gives %s', (text, env, key) => {
  const source = `upstreams:\n  - id: up\n    dialect: chat\n    base_url: http://a/v1\n    keys:\n      - ${text}\n`
  expect(load(source, env).upstreams.get('up')?.keys).toEqual([key])
})

test('the line of an unset variable is reported, inside multi-line text, too', () => {
  const found = (source: string) => assemble({ source, file: 'f', env: {} }).mistakes.map(({ line }) => line)
  expect(found('server:\n  public_url: >-\n    https://\n    ${GATEWAY}\n')).toEqual([4])
  expect(found('server:\n  drain: "${A}"\n  public_url: "${B}"\n')).toEqual([2, 3])
  // Only the own variables of the environment count, not what every object inherits.
  expect(found('server:\n  drain: "${constructor}"\n')).toEqual([2])
})

test('anchors, aliases and merges', () => {
  const { upstreams } = load(`upstreams:
  - &base
    id: one
    dialect: chat
    base_url: http://one/v1
    keys: &keys [k]
    timeouts: &times { first_byte: 5s, idle: 6s }
  - { <<: *base, id: two, base_url: http://two/v1 }
  - { id: three, dialect: chat, base_url: http://three/v1, keys: *keys, timeouts: { <<: [*times], idle: 7s } }
`)
  expect(upstreams.get('two')).toMatchObject({ id: 'two', baseUrl: 'http://two/v1', keys: ['k'] })
  expect(upstreams.get('two')?.timeouts).toEqual({ firstByteMs: 5_000, idleMs: 6_000, totalMs: 3_600_000 })
  expect(upstreams.get('three')?.timeouts).toEqual({ firstByteMs: 5_000, idleMs: 7_000, totalMs: 3_600_000 })
})

test('a redefined anchor applies from there on', () => {
  const { server, retention } = load(
    'server: { drain: &time 5s }\nretention: { reasoning: *time, idempotency: &time 6s, requests: *time }',
  )
  expect(server.drainMs).toBe(5_000)
  expect(retention).toMatchObject({ reasoning: 5_000, idempotency: 6_000, requests: 6_000 })
})

const SIZES: [string, number | undefined][] = [
  ['1B', 1],
  ['64KiB', 65_536],
  ['32MiB', 33_554_432],
  ['32 MiB', 33_554_432],
  ['2GiB', 2_147_483_648],
  ['32', undefined],
  ['32MB', undefined],
  ['32mib', undefined],
  ['1.5MiB', undefined],
  ['-1MiB', undefined],
  ['MiB', undefined],
]

test.each(SIZES)('size %s', (text, bytes) => expect(parseSize(text)).toBe(bytes))

const DURATIONS: [string, number | undefined][] = [
  ['250ms', 250],
  ['120s', 120_000],
  ['5m', 300_000],
  ['1h', 3_600_000],
  ['30d', 2_592_000_000],
  ['120', undefined],
  ['1h30m', undefined],
  ['1.5h', undefined],
  ['-1s', undefined],
  ['1w', undefined],
]

test.each(DURATIONS)('duration %s', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
  if (milliseconds !== undefined) expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds)
})

test('a token for metrics is too long to be guessed', () => {
  const read = (token: string) => assemble({ source: `server: { metrics_token: ${token} }`, file: 'f', env: {} })
  expect(read('x'.repeat(20)).config?.server.metricsToken).toBe('x'.repeat(20))
  for (const token of ['x'.repeat(19), '"with spaces, but long enough"'])
    expect(
      read(token)
        .mistakes.map(({ message }) => message)
        .join(),
    ).toContain('must have at least 20 characters')
})

test('CRLF, a byte order mark and comments are accepted', () => {
  expect(load('\uFEFF# ours\r\nserver:\r\n  drain: 5s # short\r\n').server.drainMs).toBe(5_000)
})
