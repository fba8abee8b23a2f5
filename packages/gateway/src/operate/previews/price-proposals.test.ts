import { expect, test } from 'bun:test'
import { stringify } from 'yaml'
import { MULTIPLIER_ONE } from '../../config/sections/groups.ts'
import { modalityOf } from '../../modalities/index.ts'
import { readPriceList } from '../../upstreams/prices/price-list.ts'
import { parseDocumentOf } from '../../yaml/document.ts'
import { described } from './price-proposals.ts'

const MODELS = readPriceList().vendors.flatMap(({ models }) => models)

test('what is proposed for any listed model can be stored as its price, and at no markup is the same price', () => {
  for (const model of MODELS) {
    const { readPrice } = modalityOf(model.type)
    const read = (price: unknown): unknown => {
      const { root, context } = parseDocumentOf(stringify(price), 'price.yaml', {})
      const result: unknown = root && readPrice(root)
      expect([model.id, context.mistakes]).toEqual([model.id, []])
      return result
    }
    const { price, proposed_price } = described({ model, multiplier: MULTIPLIER_ONE }, 1_200_000n)
    expect(read(price)).toEqual(model.price as unknown)
    // What is free stays free.
    const isFree = model.id === 'omni-moderation-latest'
    expect([model.id, Bun.deepEquals(read(proposed_price), model.price)]).toEqual([model.id, isFree])
  }
  expect(MODELS.length).toBeGreaterThan(30)
})
