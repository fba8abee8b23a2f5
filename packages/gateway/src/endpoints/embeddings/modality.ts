// Models that make vectors of texts, priced by the token of input.
import { EMBEDDING_DIALECT_IDS, type EmbeddingDialectId } from '@trivium/protocol/dialects/embedding-services.ts'
import { shownFigures } from '../../modalities/figures.ts'
import { fromFirstRoute } from '../../modalities/known-limits.ts'
import { MILLION, mediaTotal } from '../../modalities/media-quantities.ts'
import type { Modality } from '../../modalities/modality.ts'
import { hasOnly } from '../../modalities/receipt-units.ts'
import { formatUsd, NANOS_PER_USD, type Nanos } from '../../money/amount.ts'
import type { Charge } from '../../money/prices/price.ts'
import type { YamlValue } from '../../yaml/document.ts'
import { fieldsOf } from '../../yaml/fields.ts'
import { readInteger, readUsd } from '../../yaml/scalars.ts'

/** Nano-USD per million tokens. */
type EmbeddingPrice = { input: Nanos }
/** Limits of one request; `dimensions`: the most that a vector may be asked to have. */
type EmbeddingLimits = { inputs?: number; tokens?: number; dimensions?: number }
type EmbeddingRate = {
  price: EmbeddingPrice
  multiplierMillionths: bigint
  bound(tokens: number): Nanos
  cost(tokens: number): Charge
}

/** As vendors have them. A model may have lower ones. */
export const MOST_INPUTS = 2_048
export const MOST_TOKENS = 300_000

const costOf = (tokens: number, { input }: EmbeddingPrice, multiplierMillionths: bigint): Nanos =>
  mediaTotal(BigInt(tokens) * input, MILLION, multiplierMillionths)

export const embedding: Modality<EmbeddingPrice, EmbeddingLimits, EmbeddingRate, EmbeddingDialectId> = {
  generates: 'embeddings',
  endpoints: 'Use POST /v1/embeddings, or embedContent or batchEmbedContents.',
  dialects: EMBEDDING_DIALECT_IDS,
  service: 'embeddings',
  capabilities: [],
  needsSameModel: true,
  readPrice(value: YamlValue) {
    const fields = fieldsOf(value, { input: true }, 'price: { input: 0.02 }')
    const input = fields?.required('input', readUsd, 'USD per million tokens; write input: 0 if it is free')
    return input === undefined ? undefined : { input }
  },
  readLimits(value) {
    const known = { inputs: true, tokens: true, dimensions: true } as const
    const fields = fieldsOf(value, known, 'limits: { inputs: 2048, tokens: 300000, dimensions: 1536 }')
    if (!fields) return undefined
    const read = (name: keyof typeof known, max: number): EmbeddingLimits => {
      const most = fields.optional<number | undefined>(name, readInteger({ min: 1, max }), undefined)
      return most === undefined ? {} : { [name]: most }
    }
    return Object.assign(read('inputs', MOST_INPUTS), read('tokens', MOST_TOKENS), read('dimensions', 65_536))
  },
  noLimits: {},
  withKnownLimits: fromFirstRoute((known, written) => ({ ...known, ...written })),
  rateOf: (price, multiplierMillionths) => ({
    price,
    multiplierMillionths,
    bound: (tokens) => costOf(tokens, price, multiplierMillionths),
    cost: (tokens) => ({
      cost: costOf(tokens, price, multiplierMillionths),
      units: `"input":${tokens}`,
      figures: `"input":"${price.input}"`,
    }),
  }),
  comparePrices: (yours, list) => [{ field: 'input', yours: yours?.input, list: list.input }],
  belowCost({ input }, multiplierMillionths, cost) {
    const charged = (input * multiplierMillionths) / MILLION
    if (charged >= cost.input) return undefined
    return `input is ${formatUsd(charged)} and costs ${formatUsd(cost.input)} per million tokens`
  },
  comparedBy: ['input'],
  tokens: { input: ['input'], output: [] },
  describe: ({ limits }, { price, multiplierMillionths }) => ({
    price: shownFigures([['input', price.input]], multiplierMillionths),
    limits: {
      inputs: limits.inputs ?? MOST_INPUTS,
      tokens: limits.tokens ?? MOST_TOKENS,
      dimensions: limits.dimensions ?? null,
    },
    protocols: ['embeddings', 'embed', 'generate-content'],
    methods: ['embedContent', 'batchEmbedContents'],
  }),
  previewedUnits: ['input'],
  preview: (rate, { input }) => (input === undefined ? undefined : rate.cost(input)),
  reprice: (rate, receipt) => (hasOnly(receipt, ['input']) ? rate.cost(receipt.units.input ?? 0).cost : undefined),
  sandbox: {
    id: 'sandbox-embedding',
    price: { input: NANOS_PER_USD / 50n },
    limits: { dimensions: 1_536 },
    limitsRoutes: true,
  },
}
