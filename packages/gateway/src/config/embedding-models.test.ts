// Embedding models in the file: the mistakes that an operator can make with them.
import { expect, test } from 'bun:test'
import { assemble } from './assemble.ts'

const load = (source: string) => assemble({ source, file: '/etc/trivium.yaml', env: {} })
const model = (routes: string, more = '', price = 'input: 1') =>
  `sandbox: true\nmodels: [{ id: m, type: embedding, price: { ${price} }, routes: [${routes}], ${more} }]`
const ROUTE = '{ upstream: sandbox }'
const route = (name: string, more = '') => `{ upstream: sandbox, model: ${name}, ${more} }`

test('routes to one model, by one name or by several', () => {
  const one = model(`${route('a')}, ${route('a')}`)
  const several = model(`${route('a')}, ${route('b', 'same_vectors: true')}`)
  for (const source of [one, several]) expect(load(source).mistakes).toEqual([])
  expect(load(model(ROUTE, 'limits: { inputs: 9 }')).config?.models.get('m')).toMatchObject({ limits: { inputs: 9 } })
})

const TWO = 'models[m].routes: routes name two models, "a" and "b", whose vectors differ; route to one model, or write'
test.each([
  [model(`${route('a', 'same_vectors: true')}, ${route('b')}`), TWO],
  [model(ROUTE, 'fallbacks: [x]'), 'text models only have fallbacks'],
  [model(ROUTE, 'limits: { inputs: 2049 }'), 'limits.inputs: expected a whole number from 1 to 2048'],
  [model(ROUTE, '', 'input: 1, output: 1'), 'price: unknown field "output"'],
  [
    'upstreams: [{ id: up, dialect: messages, base_url: "https://a.example.com", keys: [none] }]\nmodels: [{ id: m, type: embedding, price: { input: 1 }, routes: [{ upstream: up }] }]',
    'an embedding model needs an upstream that serves embeddings, or with the dialect generate-content',
  ],
])('%s', (source, expected) => {
  const { mistakes } = load(source)
  expect(mistakes.map(({ message }) => message)).toEqual([expect.stringContaining(expected)])
})
