import { expect, test } from 'bun:test'
import { BUILT_IN } from '../server/config.ts'
import { closestMatch, editDistance } from '../yaml/closest-match.ts'
import { assemble } from './assemble.ts'
import { describeChanges } from './changes.ts'
import type { FileConfig } from './types.ts'

function load(source: string): FileConfig {
  const { config, mistakes } = assemble({ source, file: 'f', env: {} }, BUILT_IN)
  if (!config) throw new Error(mistakes[0]?.message)
  return config
}

const upstream = (key: string) => `upstreams: [{ id: up, dialect: chat, base_url: "http://a/v1", keys: [${key}] }]\n`
const kind = (written: string) => `upstreams: [{ id: up, keys: [k], kind: ${written} }]\n`
const model = (price: string) =>
  `models: [{ id: m, routes: [{ upstream: up }], price: { input: ${price}, output: 1 } }]\n`

const own = (input: string) => `groups: [{ id: a, models: ["*"], prices: { sandbox-text: { ${input}, output: 1 } } }]\n`
const media = (
  price: string,
) => `models: [{ id: i, type: image, routes: [{ upstream: sandbox }], price: { per_image: ${price} } }]
groups: [{ id: a, models: ["*"], prices: { i: { per_image: ${price} } } }]
`

// [before, after, changes]
const CHANGES: [string, string, string[]][] = [
  ['', '# a comment\n', []],
  ['', 'server: { drain: 5s }', ['server.drain changed']],
  ['sandbox: true', 'sandbox: { faults: true }', ['sandbox.faults changed']],
  [upstream('one'), upstream('two'), ['upstreams[up].keys changed']],
  [kind('openai'), kind('openai, dialect: chat'), ['upstreams[up].dialect changed']],
  [kind('openai'), kind('openai, dialect: responses'), ['upstreams[up].dialect changed']],
  [
    kind('groq'),
    kind('together, base_url: "https://api.groq.com/openai/v1"'),
    ['upstreams[up].kind changed', 'upstreams[up].dialect changed', 'upstreams[up].services changed'],
  ],
  [
    'upstreams: [{ id: s, kind: sandbox }]',
    'upstreams: [{ id: s, kind: sandbox, dialect: chat }]',
    ['upstreams[s].dialect changed'],
  ],
  [upstream('k') + model('1'), upstream('k') + model('2'), ['models[m].price changed']],
  [upstream('k'), upstream('k') + model('1'), ['models[m] added']],
  [
    'groups: [{ id: a, models: ["*"] }]',
    'groups: [{ id: b, models: ["*"] }]',
    ['groups[a] removed', 'groups[b] added'],
  ],
  [
    'groups: [{ id: a, models: ["*"] }]',
    'groups: [{ id: a, models: ["*"], multiplier: 2 }]',
    ['groups[a].multiplier changed'],
  ],
  [own('input: 1'), own('input: 2'), ['groups[a].prices changed']],
  [own('input: 1'), own('input: 1').replace(/, prices.*\n/, ' }]'), ['groups[a].prices changed']],
  ['media: { disk: ./a }', 'media: { disk: ./b }', ['media.disk changed']],
  [media('0.04'), media('0.05'), ['models[i].price changed', 'groups[a].prices changed']],
]

test.each(CHANGES)('%j -> %j', (before, after, expected) => {
  expect(describeChanges(load(before), load(after)).map(({ what }) => what)).toEqual(expected)
})

test('only changes of server.tls and of the section media need a restart', () => {
  const before = load('')
  const after = { ...before, server: { ...before.server, tls: { certFile: '/c', keyFile: '/k' }, drainMs: 1 } }
  expect(describeChanges(before, after)).toEqual([
    { what: 'server.tls changed', restart: true },
    { what: 'server.drain changed', restart: false },
  ])
  expect(describeChanges(before, load('media: { disk: ./media }'))).toEqual([
    { what: 'media.disk changed', restart: true },
  ])
})

test('the closest match', () => {
  const known = ['base_url', 'keys', 'max_concurrency', 'proxy']
  expect(
    ['base_ulr', 'baseUrl', 'base-url', 'url_base', 'key', 'Keys', 'max_concurency', 'x'].map((name) =>
      closestMatch(name, known),
    ),
  ).toEqual(['base_url', 'base_url', 'base_url', undefined, 'keys', 'keys', 'max_concurrency', undefined])
  expect([editDistance('abc', 'acb'), editDistance('', 'ab'), editDistance('kitten', 'sitting')]).toEqual([1, 2, 3])
})
