// Mistakes in what a route changes are found when the configuration is read.
import { expect, test } from 'bun:test'
import { BUILT_IN } from '../../server/config.ts'
import { assemble } from '../assemble.ts'
import { exportConfig } from '../exchange/export.ts'

const PRICE = 'price: { input: 1, output: 4, tiers: { flex: 0.5 }, tools: { web_search: 0.01 } }'

function load(edits: string, { dialect = 'chat', price = PRICE, more = '', type = 'text' } = {}) {
  const source = `
upstreams: [{ id: up, dialect: ${dialect}, base_url: "http://127.0.0.1:1/${dialect === 'chat' ? 'v1' : 'v1beta'}", keys: [k], allow_private: true }]
models: [{ id: mine, type: ${type}, routes: [{ upstream: up, ${edits} }], ${price} }]
${more}`
  return assemble({ source, file: 'f', env: { TEAM: 'search' } }, BUILT_IN)
}

test.each([
  ['a misspelt field', 'set: { temprature: 1 }', 'did you mean temperature?'],
  ['a field of another dialect', 'set: { instructions: hi }', 'is a field of responses; the upstream is asked in chat'],
  ['the model', 'set: { model: other }', 'is decided by the caller and the gateway'],
  ['messages', 'drop: [messages]', 'is decided by the caller and the gateway'],
  ['the number of answers', 'set: { n: 5 }', 'is decided by the caller and the gateway'],
  [
    'another bound of output',
    'set: { n_predict: 500 }',
    'bounds or multiplies the output, and cannot be set; set max_tokens',
  ],
  ['a bound in an object', 'set: { options: { num_predict: 5 } }', 'bounds or multiplies'],
  ['members of an object that is merged', 'set: { extra_body: { n: 5 } }', 'bounds or multiplies'],
  ['a cap left out', 'drop: [max_tokens]', 'a route can set it, but not drop it'],
  ['a cap that is no number', 'default: { max_tokens: many }', 'expected a whole number of tokens'],
  [
    'a tier without a price',
    'set: { service_tier: priority }',
    'needs the price tiers.priority, which the model lacks',
  ],
  ['a tier by default', 'default: { service_tier: flex }', 'is no default'],
  ['what no price can say', 'set: { models: [a, b] }', 'sets models, which no price can say'],
  ['a name that is none', 'set: { "a.b.c": 1 }', 'is not the name of a field'],
  ['one field twice', 'set: { top_p: 1 }, drop: [top_p]', 'is in two of set, default and drop'],
  ['a whole and its part', 'set: { metadata: {}, metadata.user: a }', 'is changed as a whole and in part'],
  ['an empty system prompt', 'system: {}', 'needs before, after or both'],
  ['a credential', 'headers: { set: { Authorization: x } }', 'is sent by the gateway itself'],
  ['a header that is none', 'headers: { drop: ["a b"] }', 'is not the name of a header'],
  ['a beta with a price', 'headers: { set: { anthropic-beta: "a, context-1m-2025" } }', 'needs the price long_context'],
] as const)('%s', (_, edits, says) => {
  expect(
    load(edits)
      .mistakes.map(({ message }) => message)
      .join('\n'),
  ).toContain(says)
})

test('too much text', () => {
  const { mistakes } = load(`system: { before: "${'x'.repeat(70_000)}" }`)
  expect(mistakes[0]?.message).toContain('at most 65536 are possible')
})

test('members of an object of generate-content are named one by one', () => {
  const as = { dialect: 'generate-content' }
  expect(load('set: { generationConfig: { topP: 1 } }', as).mistakes[0]?.message).toContain('is decided by')
  expect(load('set: { generationConfig.candidateCount: 2 }', as).mistakes[0]?.message).toContain('is decided by')
  expect(load('set: { generationConfig.topP: 1, generation_config.max_output_tokens: 9 }', as).mistakes).toEqual([])
})

test('a cap by the name of one dialect holds in all that the upstream is asked in', () => {
  const { config, mistakes } = assemble(
    {
      source: `
upstreams: [{ id: up, kind: openai, keys: [k] }]
models: [{ id: mine, routes: [{ upstream: up, model: gpt-4.1, default: { max_tokens: 9 } }], ${PRICE} }]`,
      file: 'f',
      env: {},
    },
    BUILT_IN,
  )
  expect(mistakes).toEqual([])
  const { byDialect = {} } = config?.models.get('mine')?.routes[0]?.edits ?? {}
  expect(Object.entries(byDialect).map(([dialect, edits]) => [dialect, edits?.cap, edits?.body.default])).toEqual([
    ['chat', { default: 9 }, {}],
    ['responses', { default: 9 }, {}],
  ])
})

test('only routes of text models change requests', () => {
  const { mistakes } = load('set: { top_p: 1 }', { type: 'embedding', price: 'price: { input: 1 }' })
  expect(mistakes[0]?.message).toContain('only routes of text models change requests')
})

test('a price of a group needs the rows, too', () => {
  const groups = (price: string) =>
    `groups: [{ id: default, models: ["*"], prices: { mine: { input: 1, output: 1${price} } } }]`
  const edits = 'set: { service_tier: flex }'
  expect(load(edits, { more: groups(', tiers: { flex: 0.5 }') }).mistakes).toEqual([])
  const [mistake] = load(edits, { more: groups('') }).mistakes
  expect(mistake?.message).toContain('the route to up sets service_tier, which needs the price tiers.flex')
})

test('what is written is exported as it was', () => {
  const edits =
    'set: { top_p: 0.5, stop: ["a", "b"] }, default: { user: "$' +
    '{TEAM}" }, drop: [seed], headers: { set: { x-team: a } }, system: { before: Hello }'
  const loaded = load(edits)
  if (!loaded.config) throw new Error(JSON.stringify(loaded.mistakes))
  expect(loaded.config.models.get('mine')?.routes[0]?.edits?.written.default).toEqual({ user: 'search' })
  const { text } = exportConfig(loaded as Parameters<typeof exportConfig>[0])
  const again = assemble({ source: text, file: 'f', env: { UP_KEY: 'k' } }, BUILT_IN)
  expect(again.mistakes).toEqual([])
  expect(again.config?.models.get('mine')?.routes).toEqual(loaded.config.models.get('mine')?.routes ?? [])
})
