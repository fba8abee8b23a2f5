// What a changed price would have meant for the requests of the last days: computed from their receipts, by the code that charges requests,
// with the whole configuration as it would be. Nothing is written.
import { type AnyOffer, type Catalogue, compileCatalogue, findOffer } from '../../catalogue/catalogue.ts'
import { modalityOf } from '../../modalities/index.ts'
import { formatUsd, type Nanos } from '../../money/amount.ts'
import { fields, integer, optional, text, unknown } from '../../request/schema/schema.ts'
import { readState, tryChanges } from '../configuration/change.ts'
import { storedValue } from '../configuration/entries.ts'
import type { NounKind } from '../configuration/entry-nouns.ts'
import { mergePatch } from '../configuration/merge-patch.ts'
import { isoTime } from '../inputs/fields.ts'
import { limitWork } from '../limit-work.ts'
import { type OperationContext, operation } from '../operation.ts'
import { PRICE_IMPACT } from '../resources/configuration.ts'
import { catalogueFor } from './list-models.ts'
import { priceAgain } from './price-again.ts'

const DAY_MS = 86_400_000
const MOST_REQUESTS = 50_000
const USUAL_REQUESTS = 20_000
const MOST_AT_ONCE = 2
const MOST_NAMED = 10
const MOST_PRICES = 50

const oneAtATime = limitWork(MOST_AT_ONCE, 'too_many_computations')

const NAME = text({ max: 300 })
const RANGE = {
  /** How many days (UTC), today included. */
  days: optional(integer({ min: 1, max: 31 })),
  /** At most so many requests are priced again, the newest. */
  requests: optional(integer({ min: 1, max: MOST_REQUESTS })),
}

export const previewModelPrice = operation({
  name: 'model price-impact',
  permission: 'money',
  route: {
    at: 'POST models/{model}/price-impact',
    summary: 'Computes what another price would have charged for the requests of the last days',
    output: PRICE_IMPACT,
    example: { body: { price: { input: '2.50' }, days: 7 } },
  },
  /** `price`: as in a change of the model. */
  input: fields({ model: NAME, price: unknown(), ...RANGE }),
  run: (context, { model, price, days, requests }) =>
    impactOf(context, { kind: 'model', id: model, patch: { price } }, days, requests),
})

export const previewGroupPrices = operation({
  name: 'group price-impact',
  permission: 'money',
  route: {
    at: 'POST groups/{group}/price-impact',
    summary: 'Computes what other terms of a group would have charged for the requests of the last days',
    output: PRICE_IMPACT,
    example: { body: { multiplier: '0.9', days: 7 } },
  },
  /** As in a change of the group. */
  input: fields({
    group: NAME,
    multiplier: optional(unknown()),
    prices: optional(unknown()),
    models: optional(unknown()),
    ...RANGE,
  }),
  run: (context, { group, days, requests, ...patch }) =>
    impactOf(context, { kind: 'group', id: group, patch }, days, requests),
})

type Changed = { kind: Extract<NounKind, 'model' | 'group'>; id: string; patch: Readonly<Record<string, unknown>> }

async function impactOf(context: OperationContext, changed: Changed, days = 7, most = USUAL_REQUESTS) {
  const { kind, id, patch } = changed
  const state = await readState(context)
  const after = mergePatch(storedValue(state, kind, id), patch)
  const { config } = await tryChanges(context, state, [{ kind, id, after }])
  return await oneAtATime(context.actor, async () => {
    const now = Date.now()
    // Whole days, today among them, as the sums of models.
    const from = now - (now % DAY_MS) - (days - 1) * DAY_MS
    const catalogue = compileCatalogue(config, Date.now())
    const sums = await priceAgain(context.storage, catalogue, { [kind]: id }, from, most)
    const { byAccount, reachedBack, ...totals } = sums
    const accounts = [...byAccount].map(([account, each]) => ({ account, ...each, change: each.after - each.before }))
    const named = accounts
      .filter(({ change }) => change !== 0n)
      .sort((one, other) => (size(other.change) > size(one.change) ? 1 : -1))
      .slice(0, MOST_NAMED)
    const names = await context.storage.accounts.names(named.map(({ account }) => account))
    return {
      id,
      days,
      from: isoTime(reachedBack ?? from),
      is_part: reachedBack !== undefined,
      requests: totals.requests,
      left_out: totals.leftOut,
      charged_usd: formatUsd(totals.before),
      would_be_charged_usd: formatUsd(totals.after),
      upstream_cost_usd: formatUsd(totals.upstreamCost),
      unknown_costs: totals.unknownCosts,
      accounts: accounts.length,
      accounts_pay_more: accounts.filter(({ change }) => change > 0n).length,
      accounts_pay_less: accounts.filter(({ change }) => change < 0n).length,
      most_affected: named.map(({ account, before, after: would }) => ({
        account_id: String(account),
        account: names.get(account) ?? null,
        charged_usd: formatUsd(before),
        would_be_charged_usd: formatUsd(would),
      })),
      prices: changedPrices(catalogueFor(context, state), catalogue, changed),
    }
  })
}

/** What each group pays for a model, where that is another price. */
function changedPrices(before: Catalogue, after: Catalogue, { kind, id }: Changed) {
  const shown = (offer: AnyOffer | undefined) =>
    (offer && modalityOf(offer.model.type).describe(offer.model, offer.rate).price) ?? null
  return [...after.offers]
    .flatMap(([group, models]) => [...models].map(([model, offer]) => ({ model, group, offer })))
    .filter((each) => each[kind] === id)
    .map(({ model, group, offer }) => ({
      model,
      group,
      type: offer.model.type,
      price: shown(findOffer(before, group, model)),
      would_be_price: shown(offer),
    }))
    .filter(({ price, would_be_price: after }) => JSON.stringify(price) !== JSON.stringify(after))
    .slice(0, MOST_PRICES)
}

const size = (amount: Nanos): Nanos => (amount < 0n ? -amount : amount)
