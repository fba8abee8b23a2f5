// What models cost by the built-in price list, and what they would be sold for with so much on top.
import { MULTIPLIER_ONE } from '../../config/sections/groups.ts'
import { modalityOf } from '../../modalities/index.ts'
import { fields, integer, list, optional, text } from '../../request/schema/schema.ts'
import { findAtUpstream, type PricedAtCloud } from '../../upstreams/prices/cloud-prices.ts'
import { builtInPriceList } from '../../upstreams/prices/price-list.ts'
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
    /** What names stand for that do not say it. */
    base_models: optional(list(fields({ model: text({ max: 300 }), base_model: text({ max: 300 }) }), MOST_MODELS)),
    /** The upstream's: some clouds take more in a region. */
    base_url: optional(text({ max: 2_000 })),
    markup_percent: optional(integer({ min: -90, max: 1_000 })),
  }),
  async run(context, { models, base_models = [], base_url: baseUrl, markup_percent = 0 }) {
    const state = await readState(context)
    const prices = builtInPriceList()
    const bases = new Map(base_models.map(({ model, base_model }) => [model, base_model]))
    const multiplier = MULTIPLIER_ONE + BigInt(markup_percent) * PERCENT
    return {
      date: prices.date,
      models: models.map((model) => {
        const base = bases.get(model)
        const found = findAtUpstream(prices, { name: model, base, baseUrl })
        const listed = found?.model
        const type = listed?.type ?? null
        const present = originOf(state, 'model', model)?.from ?? null
        return {
          model,
          base_model: base ?? null,
          type,
          present,
          note: listed?.note ?? null,
          ...(found ? described(found, multiplier) : UNKNOWN),
        }
      }),
    }
  },
})

/** Nothing is guessed. */
export const UNKNOWN = { price: null, proposed_price: null, limits: null }

/** In the form of the configuration file: what is returned can be stored. */
export function described({ model: listed, multiplier: atVendor }: PricedAtCloud, multiplier = MULTIPLIER_ONE) {
  const { id, type, price, limits } = listed
  const { describe, rateOf } = modalityOf(type)
  const model = { id, routes: [], price, priceVersion: '', limits }
  const at = (millionths: bigint) => describe(model, rateOf(price, millionths))
  const shown = at(atVendor)
  return {
    price: shown.price as unknown,
    proposed_price: at((multiplier * atVendor) / MULTIPLIER_ONE).price as unknown,
    limits: shown.limits as unknown,
  }
}
