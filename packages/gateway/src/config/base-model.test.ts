// `base_model` of a route: an opaque name has the limits, capabilities and list price of the model behind it.
import { expect, test } from 'bun:test'
import { BUILT_IN } from '../server/config.ts'
import { builtInPriceList } from '../upstreams/prices/price-list.ts'
import { compareWithList } from '../upstreams/prices/price-report.ts'
import { assemble } from './assemble.ts'

function load(model: string) {
  const source = `
upstreams: [{ id: cloud, kind: azure, resource: acme, keys: [k] }]
models: [${model}]`
  return assemble({ source, file: 'f', env: {} }, BUILT_IN)
}

const text = (route: string) =>
  load(`{ id: mine, routes: [{ upstream: cloud, ${route} }], price: { input: 1, output: 2 } }`)
const OPAQUE = 'model: my-deployment'

test('limits and capabilities are those of the model behind the name', () => {
  const known = text('model: gpt-5.4').config?.models.get('mine')
  expect(known?.capabilities).toContain('reasoning')
  const named = text(`${OPAQUE}, base_model: gpt-5.4`).config?.models.get('mine')
  expect(named?.routes[0]).toMatchObject({ model: 'my-deployment', baseModel: 'gpt-5.4' })
  expect([named?.capabilities, named?.limits]).toEqual([known?.capabilities, known?.limits])
  expect(text(OPAQUE).config?.models.get('mine')?.capabilities).toBeUndefined()
})

test('the price is compared with that of the model behind the name', () => {
  const report = (route: string) => {
    const { config } = text(route)
    if (!config) throw new Error('not assembled')
    return compareWithList(config, builtInPriceList())
  }
  expect(report(OPAQUE).unknown).toEqual([{ model: 'mine', upstream_model: 'my-deployment' }])
  expect(report(`${OPAQUE}, base_model: gpt-5.4`).models).toEqual([
    expect.objectContaining({ model: 'mine', upstream_model: 'my-deployment', vendor: 'openai' }),
  ])
})

test('two names of one model make the same vectors', () => {
  const vectors = (second: string) =>
    load(`{ id: v, type: embedding, price: { input: 1 }, routes: [
      { upstream: cloud, model: text-embedding-3-small }, { upstream: cloud, model: mine${second} }] }`).mistakes
  expect(vectors('')).toHaveLength(1)
  expect(vectors(', base_model: text-embedding-3-small')).toEqual([])
  expect(vectors(', base_model: text-embedding-3-large')).toHaveLength(1)
})

test('an empty name is a mistake', () => {
  expect(text(`${OPAQUE}, base_model: ""`).mistakes[0]?.message).toContain('base_model: is empty')
})
