// What a request would cost, by the code that charges requests and the formula of their receipts.
import { authorize } from '../../access/authorize.ts'
import { compileCatalogue } from '../../catalogue/catalogue.ts'
import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import { modalityOf } from '../../modalities/index.ts'
import { type PreviewUnits, TOKEN_UNITS } from '../../modalities/preview.ts'
import { formatMillionths, formatUsd } from '../../money/amount.ts'
import { formulaOf, linesOf, type PricedReceipt, priceText } from '../../money/prices/receipt.ts'
import { Failure } from '../../request/failure.ts'
import { fields, integer, mapOf, number, optional, rule, text } from '../../request/schema/schema.ts'
import type { Caller } from '../../storage/storage.ts'
import { type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { PRICE_PREVIEW } from '../resources/upstreams.ts'

const MODEL_ID = text({ max: 300 })
const COUNT = integer({ min: 0, max: 1_000_000_000 })
const CALLS = rule(
  mapOf(integer({ min: 0, max: 1_000 })),
  (calls) => Object.keys(calls).length <= 20,
  'name 20 tools at most',
)
const WORD = text({ max: 50 })
const UNITS = fields({
  ...(Object.fromEntries(TOKEN_UNITS.map((unit) => [unit, optional(COUNT)])) as Record<
    (typeof TOKEN_UNITS)[number],
    ReturnType<typeof optional<typeof COUNT>>
  >),
  tier: optional(WORD),
  tools: optional(CALLS),
  images: optional(integer({ min: 1, max: 128 })),
  size: optional(WORD),
  quality: optional(WORD),
  seconds: optional(rule(number(), (value) => value > 0 && value <= 3_600, 'be more than 0 and at most 3600')),
  resolution: optional(WORD),
  video_tokens: optional(COUNT),
  searches: optional(COUNT),
  documents: optional(COUNT),
  inputs: optional(COUNT),
  requests: optional(COUNT),
  characters: optional(COUNT),
  audio_seconds: optional(rule(number(), (value) => value > 0 && value <= 1e6, 'be more than 0 and at most 1000000')),
})

export const previewPrice = operation({
  name: 'model price-preview',
  permission: 'see',
  route: {
    at: 'POST models/{model}/price-preview',
    summary: 'Computes what a request would cost, with its formula',
    output: PRICE_PREVIEW,
    example: { body: { group: 'default', units: { input: 1200, output: 300 } } },
  },
  input: fields({ model: MODEL_ID, group: optional(text({ max: 200 })), units: UNITS }),
  async run(context, { model, group = DEFAULT_GROUP, units }) {
    const { rate, priceVersion, model: offered } = offerOf(context, callerIn(context, group), model)
    const { previewedUnits, preview } = modalityOf(offered.type)
    const known = previewedUnits.join(', ')
    for (const unit of Object.keys(units))
      if (!previewedUnits.includes(unit as keyof PreviewUnits))
        throw rejected('foreign_unit', { field: `units.${unit}`, unit, model, units: known })
    const charge = preview(rate, units as PreviewUnits)
    if (!charge) throw rejected('units_missing', { field: 'units', model, units: known })
    const { multiplierMillionths } = rate
    const tools = charge.tools ? `,"tools":${JSON.stringify(charge.tools)}` : ''
    const price = priceText(priceVersion, [charge], multiplierMillionths)
    const receipt = JSON.parse(`{"units":{${charge.units}}${tools},"price":${price}}`) as PricedReceipt
    return {
      model: offered.id,
      type: offered.type,
      group,
      price_version: priceVersion,
      multiplier: formatMillionths(multiplierMillionths),
      units: receipt.units,
      cost_usd: formatUsd(charge.cost),
      formula: formulaOf(receipt),
      ...linesOf(receipt),
    }
  },
})

export const catalogueOf = ({ routing, config }: OperationContext) =>
  routing?.catalogue ?? compileCatalogue(config, Date.now())

/** The offer that a request of this caller would get. */
function offerOf(context: OperationContext, caller: Caller, model: string) {
  try {
    return authorize(caller, model, undefined, catalogueOf(context))
  } catch (error) {
    if (error instanceof Failure) throw rejected('model_unavailable', { field: 'model', message: error.message })
    throw error
  }
}

const NO_LIMITS = { requestsPerMinute: undefined, tokensPerMinute: undefined, concurrent: undefined }

/** A caller with a key of this group that has no restrictions. */
export function callerIn({ config: { groups } }: OperationContext, group: string): Caller {
  if (!groups.has(group)) {
    const available = [...groups.keys()].join(', ')
    throw rejected('unknown_group', { field: 'group', group, available })
  }
  return {
    key: 0n,
    account: 0n,
    group,
    groupChosenBy: undefined,
    isRestricted: false,
    ownSince: undefined,
    revision: 0,
    deleted: false,
    expiresAt: undefined,
    accountDisabled: false,
    makerDisabled: false,
    disabledReason: '',
    restrictions: { models: undefined, networks: undefined },
    limits: NO_LIMITS,
    accountLimits: NO_LIMITS,
  }
}
