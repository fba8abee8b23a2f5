// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax under test
// The traps that a file can hold without being wrong, and files that are not ours at all.
import { describe, expect, test } from 'bun:test'
import { BUILT_IN } from '../server/config.ts'
import { assemble } from './assemble.ts'
import { missingGroupWarnings } from './warnings.ts'

const load = (source: string) => assemble({ source, file: '/etc/trivium.yaml', env: { MY_KEY: 'hunter2' } }, BUILT_IN)
const upstream = (more: string) => `upstreams:\n  - { id: up, base_url: "http://127.0.0.1:1/v1", ${more} }\n`
const model = (more: string) => `models: [{ id: m, routes: [{ upstream: sandbox }], ${more} }]`

describe('a price below what a route costs', () => {
  const models = (
    price: string,
  ) => `upstreams: [{ id: up, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [k] }]
models:
  - { id: m, routes: [{ upstream: up, cost: { input: 1.60, output: 6.40 } }], price: { ${price} } }
`
  const group = (more: string) => `groups: [{ id: default, models: ["*"], ${more} }]`
  test.each([
    ['of the model', models('input: 2, output: 6'), 'line 3: ', 'output is 6.00 and costs 6.40'],
    ['by a multiplier', models('input: 2, output: 8') + group('multiplier: 0.75'), 'line 3: ', 'input is 1.50'],
    [
      'of a group',
      models('input: 2, output: 8') + group('prices: { m: { input: 1, output: 8 } }'),
      'line 4: ',
      'input is 1.00 and costs 1.60',
    ],
  ])('%s', (_, source, line, figures) => {
    const { config, mistakes } = load(source)
    expect(mistakes).toEqual([])
    expect(config?.warnings).toEqual([
      expect.stringContaining(
        `${line}the price of model m in group default is below its cost at upstream up: ${figures}`,
      ),
    ])
  })

  test('not at the same price', () => {
    expect(load(models('input: 1.60, output: 6.40')).config?.warnings).toEqual([])
  })

  test('many models of a group are one warning', () => {
    const { config } = assemble(
      {
        source: 'groups: [{ id: default, models: ["*"], multiplier: 0.5 }]',
        file: '/etc/trivium.yaml',
        env: { OPENAI_API_KEY: 'hunter2' },
      },
      BUILT_IN,
    )
    expect(config?.warnings).toEqual([expect.stringMatching(/\(and of \d+ more\) in group default is below its cost/)])
  })
})

test.each([
  'YOUR_API_KEY',
  'your-openai-key',
  'sk-your-key-here',
  '<key>',
  'sk-...',
  'sk-xxxxxxxx',
  'changeme',
])('the key %s is reported as a placeholder', (key) => {
  const { config } = load(upstream(`dialect: chat, keys: ["${key}"]`))
  expect(config?.warnings).toEqual([expect.stringMatching(/^line 2: .*looks like a placeholder/)])
  expect(config?.warnings.join()).not.toContain(key)
})

test.each(['none', 'sk-proj-Xx4yourkeyless', 'hunter2', 'AIzaSyA-1234'])('the key %s is not', (key) => {
  expect(load(upstream(`dialect: chat, keys: ["${key}"]`)).config?.warnings).toEqual([])
})

test('a model whose routes are all drained needs a fallback', () => {
  const drained = (more: string) => load(`models: [{ id: m, routes: [{ upstream: sandbox, weight: 0 }]${more} }]`)
  expect(drained('').mistakes).toEqual([
    expect.objectContaining({ message: expect.stringContaining('every route has weight 0, which means none') }),
  ])
  expect(drained(', fallbacks: [sandbox-text]').mistakes).toEqual([])
})

describe('warnings about models and groups name their line', () => {
  test.each([
    ['no price', `models:\n  - { id: m, routes: [{ upstream: sandbox }] }`, /^line 2: model m has no price/],
    [
      'a price per token',
      `models:\n  - { id: m, routes: [{ upstream: sandbox }], price: { input: 0.000002, output: 8 } }`,
      /^line 2: the price of model m looks like/,
    ],
  ])('%s', (_, source, warning) => {
    expect(load(source).config?.warnings).toEqual([expect.stringMatching(warning)])
  })
})

describe('a price that looks like one per token', () => {
  const PRICE = 'price: { input: 2, output: 8 }'
  test.each([
    ['of a model', model('price: { input: 0.000002, output: 8 }'), 'the price of model m', 'input is 0.000002; 2.00'],
    ['its last figure', model('price: { input: 2, output: 0.0009999 }'), 'the price of model m', 'output is 0.0009999'],
    [
      'a special figure',
      model('price: { input: 2, output: 8, cached_input: 0.00000025 }'),
      'the price of model m',
      'cached_input is 0.00000025; 0.25',
    ],
    [
      'for long input',
      model('price: { input: 2, output: 8, long_context: { above: 9, input: 0.000004 } }'),
      'the price of model m',
      'input is 0.000004; 4.00',
    ],
    [
      'of a tier',
      model('price: { input: 2, output: 8, tiers: { flex: { input: 0.000001, output: 4 } } }'),
      'the price of model m',
      'input is 0.000001; 1.00',
    ],
    [
      'what a route costs',
      `models: [{ id: m, routes: [{ upstream: sandbox, cost: { input: 0.000001, output: 4 } }], ${PRICE} }]`,
      'the cost of model m at upstream sandbox',
      'input is 0.000001; 1.00',
    ],
    [
      'of a group',
      `${model(PRICE)}\ngroups: [{ id: default, models: ["*"], prices: { m: { input: 0.000001, output: 1 } } }]`,
      'the price of model m in group default',
      'input is 0.000001; 1.00',
    ],
  ])('%s', (_, source, what, figures) => {
    const { config, mistakes } = load(source)
    expect(mistakes).toEqual([])
    expect(config?.warnings).toEqual([expect.stringContaining(`${what} looks like USD per token`)])
    expect(config?.warnings[0]).toContain(figures)
  })

  test.each([
    'price: { input: 0, output: 0 }',
    'price: { input: 0.001, output: 0.001 }',
    'price: { input: 2, output: 8, tools: { web_search: 0.0001 } }',
  ])('not %s', (price) => {
    expect(load(model(price)).config?.warnings).toEqual([])
  })

  test('nor any price of the built-in list', () => {
    const keys = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k', ARK_API_KEY: 'k' }
    const { config } = assemble({ source: '', file: 'f', env: keys }, { ...BUILT_IN, now: () => 0 })
    expect(config?.warnings).toEqual([])
  })
})

describe('"$NAME" without braces', () => {
  test('is warned about once, with its line', () => {
    const { config } = load(upstream('dialect: chat, keys: ["$MY_KEY"]'))
    expect(config?.upstreams.get('up')?.keys).toEqual(['$MY_KEY'])
    expect(config?.warnings).toEqual([
      'line 2: upstreams[up].keys[0]: "$MY_KEY" is used literally; write "${MY_KEY}" to read the variable',
    ])
  })

  test.each(['${MY_KEY}', 'pa$$word', '$5', 'a$MY_KEY', '$MY KEY'.replace(' ', '-')])('not %s', (key) => {
    expect(load(upstream(`dialect: chat, keys: ["${key}"]`)).config?.warnings).toEqual([])
  })
})

describe('the word for a dialect', () => {
  test.each([
    ['openai', 'write dialect: chat (or responses), or kind: openai in place of dialect'],
    ['OpenAI', 'write dialect: chat (or responses), or kind: openai in place of dialect'],
    ['chat_completions', 'write dialect: chat'],
    ['chat/completions', 'write dialect: chat'],
    ['openai-responses', 'write dialect: responses'],
    ['anthropic', 'write dialect: messages, or kind: anthropic in place of dialect'],
    ['claude', 'write dialect: messages'],
    ['gemini', 'write dialect: generate-content, or kind: gemini in place of dialect'],
    ['google', 'write dialect: generate-content'],
    ['generateContent', 'write dialect: generate-content'],
    ['ollama', 'write kind: ollama in place of dialect'],
  ])('%s', (word, advice) => {
    expect(load(upstream(`dialect: ${word}, keys: [none]`)).mistakes.map(({ message }) => message)).toEqual([
      `upstreams[up].dialect: "${word}" is not a dialect; ${advice}`,
    ])
  })
})

test.each([
  'model_list:\n  - model_name: gpt-4o\n    litellm_params: { model: openai/gpt-4o, api_key: os.environ/KEY }\n',
  'litellm_settings: { drop_params: true }\ngeneral_settings: { master_key: sk-1234 }\n',
])('a LiteLLM file is recognised, with one mistake', (source) => {
  const { mistakes } = load(source)
  expect(mistakes).toHaveLength(1)
  expect(mistakes[0]?.line).toBe(1)
  expect(mistakes[0]?.message).toMatch(
    /^this is a LiteLLM configuration .* upstreams .* models .* groups: see docs\/migrate\/from-litellm.md$/,
  )
  expect(mistakes[0]?.message).not.toContain('sk-1234')
})

test('keys whose group the configuration no longer has', () => {
  const { config } = load('sandbox: false\ngroups: [{ id: default, models: ["*"] }]')
  if (!config) throw new Error('no configuration')
  const keys = new Map([
    ['default', 4],
    ['staff', 2],
    ['sandbox', 1],
  ])
  expect(missingGroupWarnings(keys, config)).toEqual([
    "2 keys are in group 'staff', which does not exist, and cannot use any model; add the group to the file, or create keys in another one",
    "1 key is in group 'sandbox', which does not exist, and cannot use any model; sandbox: true brings it back",
  ])
})

describe('settings that strangers could use', () => {
  const real = upstream('dialect: chat, keys: [k]')
  const open = 'registration: { open: true, trial_credit: 5 }\n'
  const mail =
    'server: { public_url: "https://gw.example.com" }\nmail: { url: "smtp://localhost", from: gw@example.com }\n'
  test.each([
    ['every address as a proxy', 'server: { trusted_proxies: ["10.0.0.0/8", "0.0.0.0/0"] }\n', 'contains 0.0.0.0/0'],
    ['every IPv6 address as a proxy', 'server: { trusted_proxies: ["::/0"] }\n', 'contains ::/0'],
    ['a proxy', 'server: { trusted_proxies: ["10.0.0.0/8"] }\n', undefined],
    ['trial credit without mail', real + open, 'nobody proves an address'],
    ['trial credit with mail', real + open + mail, undefined],
    ['trial credit for sandbox models', open, undefined],
    ['no trial credit', `${real}registration: { open: true, trial_credit: 0 }\n`, undefined],
  ])('%s', (_, source, expected) => {
    const { config, mistakes } = load(source)
    expect(mistakes).toEqual([])
    const found = config?.warnings.filter((warning) => /trusted_proxies|registration/.test(warning)) ?? []
    expect(found).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)])
  })
})
