// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax under test
// Sections that are absent, the embedded models, warnings and the fingerprint.
import { describe, expect, test } from 'bun:test'
import { SERVICE_PATHS } from '../endpoints/index.ts'
import { BUILT_IN } from '../server/config.ts'
import { assemble } from './assemble.ts'
import { SANDBOX_MODELS } from './sandbox.ts'
import type { FileConfig } from './types.ts'

function load(source: string, env: Record<string, string> = {}): FileConfig {
  const loaded = assemble({ source, file: '/etc/trivium.yaml', env })
  expect(loaded.mistakes).toEqual([])
  if (!loaded.config) throw new Error('unreachable: no mistakes, no configuration')
  return loaded.config
}

const REAL = 'upstreams: [{ id: up, dialect: chat, base_url: "http://127.0.0.1:1/v1/", keys: [none] }]\n'

test.each([
  '',
  '# nothing yet\n',
  'server:\nmodels:\ngroups:\n',
  '{}',
  '~',
  'groups: []\nupstreams: []',
])('an empty file (%j): the documented defaults', (source) => {
  const config = load(source)
  expect(config.server).toEqual({
    publicUrl: undefined,
    tls: undefined,
    trustedProxies: [],
    limits: {
      bodyBytes: 33_554_432,
      values: 250_000,
      inFlight: 4096,
      connections: undefined,
      memoryBytes: 536_870_912,
      uploadBytes: 1_073_741_824,
      spoolBytes: 4_294_967_296,
      storedPerAccountBytes: 268_435_456,
      storedBytes: 4_294_967_296,
      mediaPerAccountBytes: 8_589_934_592,
      mediaBytes: 34_359_738_368,
      freeRequestsPerMinute: 600,
      backgroundResponses: 512,
    },
    drainMs: 30_000,
    showUpstreams: false,
    logAddresses: 'full',
    admin: true,
    adminNetworks: [],
    metricsToken: undefined,
  })
  expect(config.registration).toEqual({
    open: true,
    trialCredit: 10_000_000_000n,
    trialBudgetPerDay: undefined,
    accountsPerNetworkPerDay: 100,
    keepSandboxCredit: false,
  })
  expect(config.retention).toEqual({
    responses: 2_592_000_000,
    reasoning: 86_400_000,
    idempotency: 86_400_000,
    requests: 34_560_000_000,
    attribution: 34_560_000_000,
    media: 86_400_000,
    tasks: 604_800_000,
    audit: 34_560_000_000,
  })
  expect(config.callbacks).toEqual({ allowPrivate: false })
  expect(config.sandbox).toEqual({ on: true, faults: false, faultsWritten: false })
  expect([...config.upstreams.keys()]).toEqual(['sandbox'])
  expect([...config.models.keys()]).toEqual([...SANDBOX_MODELS])
  expect(config.models.get('sandbox-text')).toMatchObject({
    price: { input: 1_000_000_000n, output: 4_000_000_000n },
    limits: { context: 128_000, maxOutput: 16_384 },
    routes: [{ upstream: 'sandbox', model: 'sandbox-text', priority: 1, weight: 1 }],
  })
  expect(config.models.get('sandbox-image')).toMatchObject({
    type: 'image',
    price: { perImage: 40_000_000n },
    limits: { sizeRange: { least: 64, most: 2048 }, n: 10 },
  })
  expect([...config.groups.values()]).toEqual([
    { id: 'default', models: ['*'], multiplierMillionths: 1_000_000n },
    { id: 'sandbox', models: SANDBOX_MODELS.toSorted(), multiplierMillionths: 1_000_000n },
  ])
  expect(config.warnings).toEqual([])
})

describe('registration is open by default only while every upstream is embedded', () => {
  const trial = { trialCredit: 10_000_000_000n, keepSandboxCredit: false }
  const limits = (isReal: boolean) =>
    isReal
      ? { trialBudgetPerDay: 100_000_000_000n, accountsPerNetworkPerDay: 10 }
      : { trialBudgetPerDay: undefined, accountsPerNetworkPerDay: 100 }
  test.each([
    { name: 'no file', source: '', open: true },
    { name: 'only embedded models', source: 'upstreams: [{ id: more, kind: sandbox }]', open: true },
    { name: 'the section without open', source: 'registration: { trial_credit: 10 }', open: true },
    { name: 'an upstream in the file', source: REAL, open: false },
    { name: 'an upstream beside the sandbox', source: `${REAL}\nsandbox: true`, open: false },
    {
      name: 'an upstream, the section without open',
      source: `${REAL}\nregistration: { trial_credit: 10 }`,
      open: false,
    },
    { name: 'an upstream, opened in the file', source: `${REAL}\nregistration: { open: true }`, open: true },
    { name: 'closed in the file', source: 'registration: { open: false }', open: false },
  ])('$name: open is $open', ({ source, open }) => {
    expect(load(source).registration).toEqual({ open, ...trial, ...limits(source.includes(REAL)) })
  })
})

test('an upstream with required fields only', () => {
  expect(load(REAL).upstreams.get('up')).toEqual({
    id: 'up',
    kind: 'custom',
    dialect: 'chat',
    endpoints: [{ dialect: 'chat', path: '/chat/completions', credential: 'bearer' }],
    services: {
      ...Object.fromEntries(Object.entries(SERVICE_PATHS).map(([id, path]) => [id, { path }])),
      completions: { path: '/completions', assumed: true },
    },
    baseUrl: 'http://127.0.0.1:1/v1',
    keys: ['none'],
    maxConcurrency: undefined,
    maxConcurrencyPerKey: undefined,
    breaker: true,
    timeouts: { firstByteMs: 120_000, idleMs: 120_000, totalMs: 3_600_000 },
    proxy: undefined,
    allowPrivate: false,
    sharedObjects: false,
    billsOnAbort: 'nothing',
  })
})

test('every field set', () => {
  const config = load(`
server:
  public_url: https://gw.example.com/
  trusted_proxies: [10.0.0.0/8, 127.0.0.1, "2001:db8::/32", "::1"]
  limits: { body: 1MiB, values: 9, in_flight: 7, connections: 500, memory: 1GiB, upload: 2MiB, spool: 3MiB, stored_per_account: 1MiB, stored: 2MiB, media_per_account: 3MiB, media: 4MiB, free_requests: 0, background_responses: 9 }
  drain: 0s
  show_upstreams: true
  admin: off
  admin_networks: [192.0.2.0/24]
  metrics_token: a-token-of-at-least-20
registration: { open: false, trial_credit: 0, trial_budget_per_day: 2.50, accounts_per_network_per_day: 7, keep_sandbox_credit: true }
retention: { responses: off, reasoning: 1h, idempotency: 10m, requests: 1000d, attribution: 90d, media: 2h, tasks: 1h, audit: 30d }
media: { disk: ./pictures }
upstreams:
  - id: up
    dialect: chat
    base_url: https://api.example.com/v1
    keys: [k1, k2]
    max_concurrency: 64
    timeouts: { first_byte: 1s, idle: 2s, total: 3m }
    proxy: http://user:pass@proxy:3128
    http: 1.1
    allow_private: true
    shared_objects: true
    bills_on_abort: input
models:
  - id: m
    type: text
    routes:
      - { upstream: up, model: gpt, priority: 0, weight: 3, cost: { input: 0.5, output: 1.5 } }
      - { upstream: up }
    price: { input: 1, output: 2 }
    limits: { context: 1000, max_output: 100 }
groups:
  - { id: staff, models: [m, m], multiplier: 0.5 }
`)
  expect(config.server).toEqual({
    publicUrl: 'https://gw.example.com',
    tls: undefined,
    trustedProxies: ['10.0.0.0/8', '127.0.0.1/32', '2001:db8::/32', '::1/128'],
    limits: {
      bodyBytes: 1_048_576,
      values: 9,
      inFlight: 7,
      connections: 500,
      memoryBytes: 1_073_741_824,
      uploadBytes: 2_097_152,
      spoolBytes: 3_145_728,
      storedPerAccountBytes: 1_048_576,
      storedBytes: 2_097_152,
      mediaPerAccountBytes: 3_145_728,
      mediaBytes: 4_194_304,
      freeRequestsPerMinute: 0,
      backgroundResponses: 9,
    },
    drainMs: 0,
    showUpstreams: true,
    logAddresses: 'full',
    admin: false,
    adminNetworks: ['192.0.2.0/24'],
    metricsToken: 'a-token-of-at-least-20',
  })
  expect(config.registration).toEqual({
    open: false,
    trialCredit: 0n,
    trialBudgetPerDay: 2_500_000_000n,
    accountsPerNetworkPerDay: 7,
    keepSandboxCredit: true,
  })
  expect(config.retention).toEqual({
    responses: 'off',
    reasoning: 3_600_000,
    idempotency: 600_000,
    requests: 86_400_000_000,
    attribution: 7_776_000_000,
    media: 7_200_000,
    tasks: 3_600_000,
    audit: 2_592_000_000,
  })
  expect(config.media).toEqual({ disk: '/etc/pictures' })
  expect(config.upstreams.get('up')).toMatchObject({
    keys: ['k1', 'k2'],
    maxConcurrency: 64,
    timeouts: { firstByteMs: 1_000, idleMs: 2_000, totalMs: 180_000 },
    proxy: 'http://user:pass@proxy:3128/',
    http: '1.1',
    allowPrivate: true,
    sharedObjects: true,
    billsOnAbort: 'input',
  })
  const cost = { input: 500_000_000n, output: 1_500_000_000n, cachedInput: 500_000_000n, cacheWrite: 500_000_000n }
  expect(config.models.get('m')?.routes).toEqual([
    { upstream: 'up', model: 'gpt', priority: 0, weight: 3, cost },
    { upstream: 'up', model: 'm', priority: 1, weight: 1, cost: undefined },
  ])
  expect(config.models.get('m')?.limits).toEqual({ context: 1000, maxOutput: 100 })
  expect([...config.groups.values()]).toEqual([{ id: 'staff', models: ['m'], multiplierMillionths: 500_000n }])
})

// [source, on, faults, faultsWritten]
const SANDBOX: [string, boolean, boolean, boolean][] = [
  ['', true, false, false],
  [REAL, false, false, false],
  [`${REAL}sandbox: true`, true, false, false],
  ['sandbox: false', false, false, false],
  [`${REAL}sandbox: { faults: true }`, true, true, true],
  ['sandbox: { faults: false }', true, false, true],
  [`${REAL}sandbox: {}`, true, false, false],
  ['upstreams: [{ id: own, kind: sandbox }]', true, false, false],
]

test.each(SANDBOX)('sandbox %j', (source, on, faults, faultsWritten) => {
  const config = load(source)
  expect(config.sandbox).toEqual({ on, faults, faultsWritten })
  expect(config.upstreams.has('sandbox')).toBe(on)
  expect(config.models.has('sandbox-text')).toBe(on)
  expect(config.groups.has('sandbox')).toBe(on)
})

test('definitions in the file override embedded ones', () => {
  const config = load(`sandbox: true
upstreams:
  - { id: sandbox, kind: sandbox, max_concurrency: 2 }
  - { id: up, dialect: chat, base_url: "http://a/v1", keys: [none] }
models:
  - { id: sandbox-text, routes: [{ upstream: up }], price: { input: 7, output: 7 } }
  - { id: demo, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 0, output: 0 } }
`)
  expect(config.upstreams.get('sandbox')?.maxConcurrency).toBe(2)
  expect(config.models.get('sandbox-text')?.price).toMatchObject({ input: 7_000_000_000n })
  // It reaches a real upstream now, so the key of the first start must not get at it.
  expect(config.groups.get('sandbox')?.models).toEqual([
    'demo',
    ...SANDBOX_MODELS.filter((id) => id !== 'sandbox-text').toSorted(),
  ])
  expect(
    load('groups: [{ id: sandbox, models: ["*"], multiplier: 2 }]').groups.get('sandbox')?.multiplierMillionths,
  ).toBe(2_000_000n)
})

test('warnings: unpriced models, no default group', () => {
  const unpriced = load('models: [{ id: bare, routes: [{ upstream: sandbox }] }]')
  expect(unpriced.warnings).toEqual([expect.stringContaining('model bare has no price')])
  expect(load('sandbox: true\ngroups:\n  - { id: staff, models: ["*"] }').warnings).toEqual([
    expect.stringMatching(/^line 2: there is no group "default"/),
  ])
})

test('every setting of retention has an effect, so there is no warning', () => {
  expect(load('retention: { responses: 30d, reasoning: off, idempotency: 1h, requests: 1d }').warnings).toEqual([])
})

test('warnings name models of all types without a price, but not a model that a group prices', () => {
  const media = load(`models:
  - { id: v, type: video, routes: [{ upstream: sandbox }], price: { per_video: 1 } }
  - { id: i, type: image, routes: [{ upstream: sandbox }], price: { per_image: 1 } }
  - { id: free, type: image, routes: [{ upstream: sandbox }] }
  - { id: silent, type: video, routes: [{ upstream: sandbox }] }
  - { id: ours, type: image, routes: [{ upstream: sandbox }] }
groups: [{ id: default, models: ["*"], prices: { ours: { per_image: 2 } } }]`)
  expect(media.warnings).toEqual([
    expect.stringContaining('model free has no price, so callers cannot use it'),
    expect.stringContaining('model silent has no price, so callers cannot use it'),
  ])
  const bare = 'models: [{ id: bare, routes: [{ upstream: sandbox }] }]'
  const own = 'groups: [{ id: default, models: ["*"], prices: { bare: { input: 1, output: 1 } } }]'
  expect(load(`${bare}\n${own}`).warnings).toEqual([])
})

test('the hash depends on the meaning of the file and on nothing else, and excludes secrets', () => {
  const hash = (source: string, env?: Record<string, string>) => load(source, env).hash
  expect(hash('')).toMatch(/^[0-9a-f]{64}$/)
  expect(hash('server: { drain: 30s }')).toBe(hash('# same\n'))
  const keyed = REAL.replace('none', '"${KEY}"')
  expect(hash(keyed, { KEY: 'one' })).toBe(hash(keyed, { KEY: 'two' }))
  const proxied = (user: string) => REAL.replace(' keys', ` proxy: "http://${user}@proxy:1", keys`)
  expect(hash(proxied('a:b'))).toBe(hash(proxied('c:d')))
  const s3 = (bucket: string, secret: string) =>
    `media: { s3: { endpoint: "https://s3", bucket: ${bucket}, access_key: a, secret_key: ${secret} } }`
  expect(hash(s3('one', 'x'))).toBe(hash(s3('one', 'y')))
  expect(hash('media: { disk: /a }')).toBe(hash('media: { disk: /b }'))
  const models = (...ids: string[]) =>
    `models: [${ids.map((id) => `{ id: ${id}, routes: [{ upstream: sandbox }], price: { input: 1, output: 1 } }`)}]`
  expect(hash(models('a', 'b'))).toBe(hash(models('b', 'a')))

  const sections = ['server: { drain: 31s }', 'registration: { trial_credit: 1 }', 'retention: { requests: 1d }']
  const priced = (price: string) => models('a').replace('output: 1', `output: 1, ${price}`)
  const group = (more: string) => `${models('a')}\ngroups: [{ id: default, models: ["*"], ${more} }]`
  const prices = [
    'reasoning: 2',
    'audio_output: 2',
    'tools: { web_search: 1 }',
    'tools: { web_search: 2 }',
    'tiers: { flex: 0.5 }',
    'tiers: { flex: 0.6 }',
    'tiers: { flex: { input: 1, output: 2 } }',
    'long_context: { above: 9, input: 2 }',
    'long_context: { above: 8, input: 2 }',
  ].map(priced)
  const image = (price: string) =>
    `models: [{ id: i, type: image, routes: [{ upstream: sandbox }], price: { per_image: ${price} } }]`
  const own = ['input: 1, output: 2', 'input: 1, output: 3'].map((each) => group(`prices: { a: { ${each} } }`))
  sections.push(...prices, ...own, image('1'), image('1, variants: { high: 2 }'), s3('one', 'x'), s3('two', 'x'))
  sections.push(
    ...['sizes: ["64x64"]', 'sizes: { min: 64, max: 65 }', 'n: 2'].map(
      (each) => `${image('1').slice(0, -4)} }, limits: { ${each} } }]`,
    ),
  )
  sections.push('tools: { image_generation: { model: sandbox-image } }')
  const different = ['', REAL, proxied('a:b'), models('a'), models('a', 'b'), ...sections]
  expect(new Set(different.map((source) => hash(source))).size).toBe(different.length)
})

test('the configuration is frozen', () => {
  const { server, upstreams, models } = load(REAL)
  const up = upstreams.get('up')
  // Lists and maps are read-only by type alone.
  for (const part of [server, server.limits, up, up?.endpoints[0], models]) {
    expect(Object.isFrozen(part)).toBe(true)
  }
})

describe('memory', () => {
  const MIB = 1024 ** 2
  const memoryOf = (source: string, mib: number, env: Record<string, string> = {}) => {
    const builtIn = { ...BUILT_IN, memoryBytes: () => mib * MIB }
    const { config, mistakes } = assemble({ source, file: 'f', env }, builtIn)
    return config ? config.server.limits.memoryBytes / MIB : mistakes.map(({ message }) => message)
  }

  test.each([
    ['a small container', '', 256, {}, 32],
    ['a container', '', 512, {}, 96],
    ['a large container', '', 1024, {}, 224],
    ['a machine', '', 16 * 1024, {}, 512],
    ['four processes in a container', '', 2048, { TRIVIUM_WORKERS: '4' }, 96],
    ['less than an idle process needs', '', 64, {}, 32],
    ['the file has the last word', 'server: { limits: { memory: 400MiB } }', 512, {}, 400],
    ['other limits of the file', 'server: { limits: { in_flight: 7 } }', 512, {}, 96],
    ['a larger body in the file', 'server: { limits: { body: 200MiB } }', 512, {}, 200],
  ])('by default follows what is available: %s', (_, source, mib, env, expected) => {
    expect(memoryOf(source, mib, env)).toEqual(expected)
  })

  test('a body beyond the largest default is a mistake on every machine', () => {
    const source = 'server: { limits: { body: 600MiB } }'
    expect(memoryOf(source, 512)).toEqual(memoryOf(source, 16 * 1024))
    expect(memoryOf(source, 512)).toMatchObject([expect.stringContaining('memory is smaller than body')])
  })

  test('nodes with different memory have the same configuration', () => {
    const hashOf = (mib: number) =>
      assemble({ source: '', file: 'f', env: {} }, { ...BUILT_IN, memoryBytes: () => mib * MIB }).config?.hash
    expect(hashOf(512)).toBe(hashOf(1024))
  })
})
