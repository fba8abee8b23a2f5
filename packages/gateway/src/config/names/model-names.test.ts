// Aliases, retired ids and wildcards: what they mean, and their mistakes, found when the configuration is read.
import { expect, test } from 'bun:test'
import { compileCatalogue, findOffer, modelExists } from '../../catalogue/catalogue.ts'
import { BUILT_IN } from '../../server/config.ts'
import { assemble } from '../assemble.ts'
import { entryKey } from '../stored.ts'

const UPSTREAMS = `
upstreams:
  - { id: up, dialect: chat, base_url: "https://up.example/v1", keys: [k] }
  - { id: openai, kind: openai, keys: [k] }
  - { id: groq, kind: groq, keys: [k] }
`
const own = (id: string, more = '') =>
  `  - { id: ${id}, routes: [{ upstream: up }], price: { input: 1, output: 4 }${more && `, ${more}`} }\n`

const load = (models: string, more = '') =>
  assemble({ source: `${UPSTREAMS}models:\n${models}${more}`, file: 'f', env: {} }, BUILT_IN)

function loaded(models: string, more = '') {
  const result = load(models, more)
  if (!result.config) throw new Error(result.mistakes.map(({ message }) => message).join('; '))
  return result
}

const GONE = '  - { id: gone, replaced_by: a }\n'

test.each([
  ['an alias that is a model', own('a', 'aliases: [b]') + own('b'), '"b" is the id of a model; an alias needs'],
  ['an alias of two models', own('a', 'aliases: [x]') + own('b', 'aliases: [x]'), '"x" is an alias of model a already'],
  ['an alias of itself', own('a', 'aliases: [a]'), 'is the id of the model itself; remove it'],
  ['an alias that is no name', own('a', 'aliases: ["x y"]'), '"x y" cannot be a name'],
  ['a replacement that does not exist', own('abc', 'replaced_by: abd'), 'unknown model "abd"; did you mean abc?'],
  ['a replacement by an alias', own('a', 'aliases: [x]') + own('b', 'replaced_by: x'), 'it is an alias: write a'],
  ['a model that replaces itself', own('a', 'replaced_by: a'), 'leads back to the model: a -> a'],
  [
    'models that replace each other',
    own('a', 'replaced_by: b') + own('b', 'replaced_by: c') + own('c', 'replaced_by: a'),
    'leads back to the model: a -> b -> c -> a',
  ],
  [
    'another type',
    `${own('a')}  - { id: e, type: embedding, replaced_by: a }\n`,
    '"a" is of type text, and "e" of type embedding',
  ],
  ['a date that is none', own('a', 'retires: 2026-02-30'), '"2026-02-30" is not a date; write one such as 2026-12-01'],
  ['no routes, and a date', `${own('a')}  - { id: b, retires: 2099-01-01, replaced_by: a }\n`, 'routes is missing'],
  [
    'a wildcard without prices',
    '  - { id: up/*, routes: [{ upstream: up }] }\n',
    '"up" is of a kind whose models have no public prices',
  ],
  [
    'a wildcard with a price',
    '  - { id: o/*, routes: [{ upstream: openai }], price: { input: 1, output: 1 } }\n',
    'a wildcard has no price',
  ],
  [
    'a wildcard with a cost',
    '  - { id: o/*, routes: [{ upstream: openai, cost: { input: 1, output: 1 } }] }\n',
    'remove cost and base_model',
  ],
  [
    'a wildcard to one model',
    '  - { id: o/*, routes: [{ upstream: openai, model: gpt-x }] }\n',
    '"gpt-x" is one model',
  ],
  [
    'a wildcard to two vendors',
    '  - { id: o/*, routes: [{ upstream: openai }, { upstream: groq }] }\n',
    'are of different kinds',
  ],
  ['a wildcard in the middle', '  - { id: "o/*x", routes: [{ upstream: openai }] }\n', 'cannot be a name'],
  ['a wildcard of all', '  - { id: "*", routes: [{ upstream: openai }] }\n', 'cannot be a name'],
  [
    'a fallback to many',
    `${own('a', 'fallbacks: [o/*]')}  - { id: o/*, routes: [{ upstream: openai }] }\n`,
    'unknown model "o/*"',
  ],
  [
    'a field without a price',
    '  - { id: o/*, routes: [{ upstream: openai, set: { service_tier: flex } }] }\n',
    'lacks in the price list',
  ],
])('%s is a mistake', (_, models, message) => {
  expect(load(models).mistakes.map((each) => each.message)).toContainEqual(expect.stringContaining(message))
})

test('a name leads to one model, whatever it is called, and to its replacement from the date on', () => {
  const { config } = loaded(
    own('a', 'aliases: [x, y/z]') +
      own('b', 'retires: 2026-12-01, replaced_by: a') +
      own('c', 'retires: 2026-12-01') +
      GONE,
    'groups:\n  - { id: default, models: ["*"] }\n  - { id: few, models: [b] }\n',
  )
  let now = Date.parse('2026-11-30T23:59:59.999Z')
  const catalogue = compileCatalogue(config, 0, undefined, () => now)
  const means = (name: string, group = 'default') => findOffer(catalogue, group, name)?.model.id
  const all = ['a', 'x', 'y/z', 'b', 'c', 'gone', 'other']
  expect(all.map((name) => means(name))).toEqual(['a', 'a', 'a', 'b', 'c', 'a', undefined])
  expect([means('b', 'few'), catalogue.names.retired()]).toEqual(['b', 1])
  now += 1
  expect(all.map((name) => means(name))).toEqual(['a', 'a', 'a', 'a', undefined, 'a', undefined])
  expect(all.map((name) => modelExists(catalogue, name))).toEqual([true, true, true, true, false, true, false])
  expect([catalogue.names.retired(), catalogue.names.retiredOn('c'), catalogue.names.retiredOn('b')]).toEqual([
    3,
    '2026-12-01',
    undefined,
  ])
  // Its callers cannot use what replaces it, and the operator is told before.
  expect(means('b', 'few')).toBeUndefined()
  expect(config.warnings).toEqual(['line 13: group few includes model b, but not a, which replaces it'])
})

test('a wildcard stands for the models of the vendor in the price list, at their prices; a model of its own comes first', () => {
  const result = loaded(
    `  - { id: openai/*, routes: [{ upstream: openai, priority: 3 }], hidden: true }\n${own('openai/gpt-6-astra')}`,
    'groups:\n  - { id: default, models: ["openai/*"] }\n  - { id: other, models: [openai/gpt-6.1-sol], multiplier: 2 }\n',
  )
  const { config, origins } = result
  const listed = BUILT_IN.priceList().vendors.find(({ kind }) => kind === 'openai')?.models ?? []
  const ids = listed.map(({ id }) => `openai/${id}`)
  expect(listed.length).toBeGreaterThan(5)
  expect([...config.models.keys()].filter((id) => id.startsWith('openai/')).sort()).toEqual(ids.toSorted())
  expect(config.groups.get('default')?.models).toEqual(ids.toSorted())
  const sol = config.models.get('openai/gpt-6.1-sol')
  const { price, limits } = listed.find(({ id }) => id === 'gpt-6.1-sol') ?? {}
  expect(sol).toMatchObject({
    price,
    limits,
    hidden: true,
    routes: [{ upstream: 'openai', model: 'gpt-6.1-sol', cost: price, priority: 3 }],
  })
  expect(config.models.get('openai/gpt-6-astra')?.routes[0]?.upstream).toBe('up')
  expect(new Set(listed.map(({ type }) => type))).toEqual(new Set([...config.models.values()].map(({ type }) => type)))
  const catalogue = compileCatalogue(config, 0)
  expect(modelExists(catalogue, 'openai/gpt-of-nobody')).toBe(false)
  expect(findOffer(catalogue, 'other', 'openai/gpt-6-astra')).toBeUndefined()
  expect(origins.get(entryKey({ kind: 'model', id: 'openai/*' }))).toMatchObject({ from: 'file' })
  expect(origins.get(entryKey({ kind: 'model', id: 'openai/gpt-6.1-sol' }))).toEqual({ from: 'built-in' })
})

test('a wildcard may name the models as another gateway does', () => {
  const { config } = loaded('  - { id: o/*, routes: [{ upstream: groq, model: "deep/*" }] }\n')
  const [first] = BUILT_IN.priceList().vendors.find(({ kind }) => kind === 'groq')?.models ?? []
  expect(config.models.get(`o/${first?.id}`)?.routes[0]?.model).toBe(`deep/${first?.id}`)
})

test('they are written again as they were', () => {
  const models = [
    { kind: 'model', id: 'a', value: { routes: [{ upstream: 'up' }], aliases: ['x'], hidden: true }, revision: 2 },
    { kind: 'model', id: 'b', value: { replaced_by: 'a' }, revision: 3 },
    { kind: 'model', id: 'openai/*', value: { routes: [{ upstream: 'openai' }] }, revision: 4 },
  ] as const
  const result = assemble({ source: UPSTREAMS, file: 'f', env: {}, stored: models }, BUILT_IN)
  if (!result.config) throw new Error(JSON.stringify(result.mistakes))
  expect(result.invalid).toEqual([])
  expect(
    [...result.written().values()].filter(({ kind }) => kind === 'model').map(({ id, value }) => [id, value]),
  ).toEqual(models.map(({ id, value }) => [id, value]))
})
