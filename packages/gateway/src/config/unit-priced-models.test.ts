// Models for rankings and moderations in the file: one figure is the price, and the mistakes that an operator can make with it.
import { expect, test } from 'bun:test'
import { assemble } from './assemble.ts'

const load = (source: string) => assemble({ source, file: '/etc/trivium.yaml', env: {} })
const model = (type: string, price: string, more = '') =>
  `models: [{ id: m, type: ${type}, routes: [{ upstream: sandbox }], price: { ${price} } ${more} }]`

test.each([
  [model('rerank', 'per_search: 0.002'), { figure: 'per_search', price: 2_000_000n }, {}],
  [model('rerank', 'input: 1', ', limits: { documents: 9 }'), { figure: 'input' }, { documents: 9 }],
  [model('rerank', 'per_thousand_documents: 1'), { figure: 'per_thousand_documents' }, {}],
  [
    model('moderation', 'per_request: 0', ', limits: { inputs: 9 }'),
    { figure: 'per_request', price: 0n },
    { inputs: 9 },
  ],
])('%s', (source, price, limits) => {
  expect(load(source).config?.models.get('m')).toMatchObject({ price, limits })
})

test.each([
  [model('rerank', ''), 'per_search or input or per_thousand_documents is missing; USD, such as'],
  [model('rerank', 'per_search: 1, input: 1'), 'per_search and input cannot both be the price; keep one of them'],
  [model('rerank', 'per_search: 1', ', limits: { documents: 10001 }'), 'limits.documents: expected a whole number'],
  [model('moderation', 'per_search: 1'), 'unknown field "per_search"'],
  [model('moderation', 'per_request: 0', ', fallbacks: [a]'), 'fallbacks: text models only have'],
  [
    `upstreams: [{ id: up, dialect: messages, base_url: "https://a.example.com", keys: [none] }]
models: [{ id: m, type: rerank, routes: [{ upstream: up }], price: { input: 1 } }]`,
    'needs an upstream that serves rerank',
  ],
])('%s: %s', (source, message) => {
  const [first] = load(source).mistakes
  expect(first?.message).toContain(message)
})
