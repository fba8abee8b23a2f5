// Models that answer with text, priced by the token.
import { TEXT_DIALECT_IDS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { CAPABILITIES, type Modality } from '../../../modalities/modality.ts'
import { TOKEN_UNITS, usageOf } from '../../../modalities/preview.ts'
import { chargedTiers, hasOnly } from '../../../modalities/receipt-units.ts'
import { NANOS_PER_USD } from '../../../money/amount.ts'
import { callsByName } from '../../../money/prices/receipt.ts'
import { KIND_NAMES, KINDS } from '../../../money/prices/token-kinds.ts'
import { isPriced, NO_OPTIONS, type TokenPrice, USUAL_TIERS } from '../../../money/prices/token-price.ts'
import { type TokenRate, tokenRate } from '../../../money/prices/token-rate.ts'
import { belowCost, oddPrice } from './check-price.ts'
import { compareTokenPrices } from './compare-prices.ts'
import { describeTextModel } from './describe.ts'
import { readTextLimits, type TextLimits, unlistedLimits, withKnownOutput } from './limits.ts'
import { readTokenPrice } from './read-price.ts'

const OUTPUT_KINDS = ['output', 'reasoning', 'audioOutput', 'imageOutput'] as const

export const text: Modality<TokenPrice, TextLimits, TokenRate, TextDialectId> = {
  generates: 'text',
  endpoints: 'Use POST /v1/chat/completions, POST /v1/responses, POST /v1/messages or generateContent.',
  dialects: TEXT_DIALECT_IDS,
  capabilities: CAPABILITIES,
  hasFallbacks: true,
  readPrice: readTokenPrice,
  readLimits: readTextLimits,
  noLimits: { context: undefined, maxOutput: undefined },
  withKnownLimits: withKnownOutput,
  unlistedLimits,
  rateOf: tokenRate,
  comparePrices: compareTokenPrices,
  oddPrice,
  belowCost,
  comparedBy: ['output'],
  tokens: {
    input: KINDS.filter((kind) => !OUTPUT_KINDS.some((each) => each === kind)).map((kind) => KIND_NAMES[kind]),
    output: OUTPUT_KINDS.map((kind) => KIND_NAMES[kind]),
  },
  describe: describeTextModel,
  previewedUnits: [...TOKEN_UNITS, 'tier', 'tools'],
  preview(rate, units) {
    const { tier, tools = {} } = units
    const isListed = (kind: 'tier' | 'tool', word: string) => isPriced(rate.price, { kind, word })
    // Requests with such options are rejected.
    if (tier !== undefined && !USUAL_TIERS.has(tier) && !isListed('tier', tier)) return undefined
    if (Object.keys(tools).some((tool) => !isListed('tool', tool))) return undefined
    const charge = rate.cost({ usage: usageOf(units), options: { ...NO_OPTIONS, tier } })
    return { ...charge, tools: charge.terms && callsByName(charge.terms) }
  },
  reprice(rate, receipt) {
    const { units, tools = {}, tier, price } = receipt
    const isListed = (kind: 'tier' | 'tool', word: string) => isPriced(rate.price, { kind, word })
    const charged = chargedTiers(price?.tiers_millionths)
    // Requests with what the rate does not list would have been rejected.
    const isRejected =
      charged.some((each) => !isListed('tier', each)) || Object.keys(tools).some((each) => !isListed('tool', each))
    if (isRejected || !hasOnly(receipt, TOKEN_UNITS)) return undefined
    const also = charged.length === 0 && tier !== undefined ? [tier] : charged
    return rate.cost({ usage: usageOf({ ...units, tools }), options: { ...NO_OPTIONS, also } }).cost
  },
  sandbox: {
    id: 'sandbox-text',
    price: {
      input: NANOS_PER_USD,
      output: 4n * NANOS_PER_USD,
      cachedInput: NANOS_PER_USD,
      cacheWrite: NANOS_PER_USD,
    },
    limits: { context: 128_000, maxOutput: 16_384 },
  },
}
