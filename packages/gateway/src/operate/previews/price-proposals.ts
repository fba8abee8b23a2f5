// What models cost by the built-in price list, and what they would be sold for with so much on top.
import { MULTIPLIER_ONE } from '../../config/sections/groups.ts'
import { modalityOf } from '../../modalities/index.ts'
import { fields, integer, list, optional, text } from '../../request/schema/schema.ts'
import { builtInPriceList, findListed, type ListedModel } from '../../upstreams/prices/price-list.ts'
import { readState } from '../configuration/change.ts'
import { originOf } from '../configuration/show.ts'
import { operation } from '../operation.ts'
import { PRICE_PROPOSALS } from '../resources/upstreams.ts'

const MOST_MODELS = 5_000
const PERCENT = MULTIPLIER_ONE / 100n

export const proposePrices = operation({
  name: 'price proposals',
  permission: 'see',
  route: {
    at: 'POST price-proposals',
    summary: 'Proposes prices of models: those of the built-in list, with a percentage on top',
    output: PRICE_PROPOSALS,
    example: { body: { models: ['gpt-6.1-terra'], markup_percent: 20 } },
  },
  input: fields({
    /** Their names at the upstream. */
    models: list(text({ max: 300 }), MOST_MODELS),
    markup_percent: optional(integer({ min: -90, max: 1_000 })),
  }),
  async run(context, { models, markup_percent = 0 }) {
    const state = await readState(context)
    const prices = builtInPriceList()
    const multiplier = MULTIPLIER_ONE + BigInt(markup_percent) * PERCENT
    return {
      date: prices.date,
      models: models.map((model) => {
        const listed = findListed(prices, model)?.model
        const type = listed?.type ?? null
        const present = originOf(state, 'model', model)?.from ?? null
        return {
          model,
          type,
          present,
          note: listed?.note ?? null,
          ...(listed ? described(listed, multiplier) : UNKNOWN),
        }
      }),
    }
  },
})

/** Nothing is guessed. */
export const UNKNOWN = { price: null, proposed_price: null, limits: null }

/** In the form of the configuration file: what is returned can be stored. */
export function described({ id, type, price, limits }: ListedModel, multiplier = MULTIPLIER_ONE) {
  const { describe, rateOf } = modalityOf(type)
  const model = { id, routes: [], price, priceVersion: '', limits }
  const at = (millionths: bigint) => describe(model, rateOf(price, millionths))
  const shown = at(MULTIPLIER_ONE)
  return {
    price: shown.price as unknown,
    proposed_price: at(multiplier).price as unknown,
    limits: shown.limits as unknown,
  }
}
