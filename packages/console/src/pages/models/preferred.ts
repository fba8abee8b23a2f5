// Which model a person is offered first: one that answers, and costs little. Pure.
import type { ModelRow } from '../../api/types.ts'
import { figureOf, hasTokens } from './prices.ts'

/** Models that a key of the group can call, the best first: answered today, then healthy, then the cheapest. */
export function preferredModels(models: readonly ModelRow[], group: string | undefined): ModelRow[] {
  const ranked = models.flatMap((model) => {
    const offer = group === undefined ? model.prices[0] : model.prices.find((each) => each.group === group)
    return offer ? [{ model, rank: rankOf(model), usd: costOf(model, offer.price) }] : []
  })
  ranked.sort((one, two) => one.rank - two.rank || one.usd - two.usd || one.model.id.localeCompare(two.model.id))
  return ranked.map(({ model }) => model)
}

/** Other models have no times to the first token. */
const rankOf = (model: ModelRow): number =>
  !model.healthy ? 2 : hasTokens(model) && model.median_first_token_ms === null ? 1 : 0

/** A short question is as much input as output. Models of other units come after those of the usual one. */
function costOf(model: ModelRow, price: ModelRow['prices'][number]['price']): number {
  const output = figureOf(model, price)?.usd ?? Number.POSITIVE_INFINITY
  return hasTokens(model) ? output + Number(price.input ?? 0) : output
}
