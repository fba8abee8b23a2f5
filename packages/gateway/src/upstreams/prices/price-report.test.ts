import { describe, expect, test } from 'bun:test'
import { assemble } from '../../config/assemble.ts'
import { readPriceList } from './price-list.ts'
import { compareWithList } from './price-report.ts'

const list = readPriceList(`
date: 2026-01-31
vendors:
  - kind: first
    variable: FIRST_KEY
    source: https://first.example.com/prices
    upstreams: [{ types: [text, video], dialect: chat, base_url: "https://first.example.com/v1" }]
    models:
      - { id: big, dated: true, price: { input: 2, output: 8 } }
      - { id: small, note: half of it on Sundays, price: { input: 1, output: 4 } }
      - { id: clip, type: video, limits: { seconds: [1, 9] }, price: { per_second: 0.05 } }
  - kind: second
    variable: SECOND_KEY
    source: https://second.example.com/prices
    upstreams: [{ types: [text], dialect: chat, base_url: "https://second.example.com/v1" }]
    models: [{ id: other, price: { input: 3, output: 9, tools: { web_search: 0.01 } } }]
`)

function report(models: string) {
  const upstream = '{ id: main, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: ["none"] }'
  const films = upstream.replace('main', 'films').replace('chat', 'video-tasks').replace('/v1', '/api/v3')
  const { config, mistakes } = assemble({
    source: `upstreams: [${upstream}, ${films}]\nmodels: [${models}]`,
    file: 'test.yaml',
    env: {},
  })
  if (!config) throw new Error(JSON.stringify(mistakes))
  return compareWithList(config, list)
}

const UNUSED = [
  { vendor: 'first', upstream_model: 'big' },
  { vendor: 'first', upstream_model: 'small' },
  { vendor: 'first', upstream_model: 'clip' },
  { vendor: 'second', upstream_model: 'other' },
]
const PRICE = 'price: { input: 2, output: 8 }'

describe('the operator’s prices and the list', () => {
  test('nothing configured', () => {
    expect(report('')).toEqual({ date: '2026-01-31', models: [], unknown: [], unused: UNUSED })
  })

  test('models are found by their name at the upstream, not by their public name', () => {
    const { models, unknown, unused } = report(
      `{ id: mine, routes: [{ upstream: main, model: big }], ${PRICE} }, { id: small, routes: [{ upstream: main, model: llama }], ${PRICE} }`,
    )
    expect(models).toEqual([{ model: 'mine', upstream_model: 'big', vendor: 'first', note: null, differences: [] }])
    expect(unknown).toEqual([{ model: 'small', upstream_model: 'llama' }])
    expect(unused).toEqual(UNUSED.filter(({ upstream_model: id }) => id !== 'big'))
  })

  test('each route is compared, several to the same model once', () => {
    const routes =
      '[{ upstream: main, model: big }, { upstream: main, model: big-2026-01-01 }, { upstream: main, model: big, priority: 2 }, { upstream: main, model: small }]'
    const { models } = report(`{ id: mine, routes: ${routes}, ${PRICE} }`)
    expect(models.map(({ upstream_model: id, note, differences }) => [id, note, differences.length])).toEqual([
      ['big', null, 0],
      ['big-2026-01-01', null, 0],
      ['small', 'half of it on Sundays', 2],
    ])
  })

  test('a configured cost is compared, too, but not the fields that it leaves out', () => {
    const price = 'price: { input: 3, output: 9, tools: { web_search: 0.01 } }'
    const route = '{ upstream: main, model: other, cost: { input: 2, output: 9 } }'
    const { models } = report(`{ id: mine, routes: [${route}], ${price} }`)
    expect(models[0]?.differences).toEqual([{ field: 'cost.input', yours: '2.00', list: '3.00', percent: -33.4 }])
  })

  test('an unpriced model, and a video model', () => {
    const { models } = report(
      '{ id: other, routes: [{ upstream: main }] }, { id: clip, type: video, routes: [{ upstream: films }], price: { per_second: 0.10 } }',
    )
    expect(
      models.map(({ model, differences }) => [model, differences.map(({ field, yours }) => [field, yours])]),
    ).toEqual([
      [
        'other',
        [
          ['input', null],
          ['output', null],
          ['tools.web_search', null],
        ],
      ],
      ['clip', [['per_second', '0.10']]],
    ])
  })

  test.each([
    ['embedding', 'text-embedding-3-large', 'input: 0.26', [['input', '0.26', '0.13', 100]]],
    ['rerank', 'rerank-v4.0-fast', 'per_search: 0.001', [['per_search', '0.001', '0.002', -50]]],
    [
      'rerank',
      'rerank-2.5',
      'per_search: 0.001',
      [
        ['input', null, '0.05', null],
        ['per_search', '0.001', null, null],
      ],
    ],
    ['speech', 'gpt-4o-mini-tts', 'input: 0.6, audio_output: 24', [['audio_output', '24.00', '12.00', 100]]],
    ['transcription', 'whisper-large-v3', 'per_minute: 0.0037', [['per_minute', '0.0037', '0.00185', 100]]],
    ['moderation', 'omni-moderation-latest', 'per_request: 0', []],
  ] as const)('a model of the type %s in the built-in list: %s', (type, id, price, expected) => {
    const upstream = '{ id: main, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: ["none"] }'
    const source = `upstreams: [${upstream}]\nmodels: [{ id: ${id}, type: ${type}, routes: [{ upstream: main }], price: { ${price} } }]`
    const { config } = assemble({ source, file: 'test.yaml', env: {} })
    const [compared] = config ? compareWithList(config, readPriceList()).models : []
    const shown = compared?.differences.map(({ field, yours, list: listed, percent }) => [
      field,
      yours,
      listed,
      percent,
    ])
    expect(shown).toEqual(expected.map((row) => [...row]))
  })

  test('embedded models have no vendor', () => {
    const { config } = assemble({ source: '', file: 'test.yaml', env: {} })
    if (!config) throw new Error('the defaults are wrong')
    expect(config.models.size).toBeGreaterThan(0)
    expect(compareWithList(config, list)).toMatchObject({ models: [], unknown: [] })
  })
})
