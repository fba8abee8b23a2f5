// Prices by one unit: one figure, and how many of what it counts. For modalities whose requests count in few ways.
import { formatUsd, type Nanos } from '../money/amount.ts'
import type { Price } from '../money/prices/price.ts'
import { addMistake, type YamlValue } from '../yaml/document.ts'
import { fieldsOf } from '../yaml/fields.ts'
import { readUsd } from '../yaml/scalars.ts'
import { compareUnits, type UnitFigures } from './compare-units.ts'
import { shownFigures } from './figures.ts'
import { MILLION, mediaTotal } from './media-quantities.ts'
import type { Modality } from './modality.ts'
import { hasOnly } from './receipt-units.ts'

/** By the names of figures: the unit on receipts, for how many of it the figure is, and how many a request can have. */
const UNITS = {
  input: { unit: 'input', per: MILLION, most: 1e9 },
  per_request: { unit: 'requests', per: 1n, most: 1 },
  per_input: { unit: 'inputs', per: 1n, most: 1e6 },
  per_search: { unit: 'searches', per: 1n, most: 1e6 },
  per_thousand_documents: { unit: 'documents', per: 1_000n, most: 1e6 },
} as const

export type Figure = keyof typeof UNITS
/** What was counted, by the names of units. */
export type UnitCounts<F extends Figure> = { readonly [K in F as (typeof UNITS)[K]['unit']]?: number | undefined }
/** Nano-USD. */
export type UnitPrice<F extends Figure> = { figure: F; price: Nanos }
export type UnitRate<F extends Figure> = Price<UnitCounts<F>, UnitCounts<F>> & { price: UnitPrice<F> }

type Priced<F extends Figure, Limits> = Pick<
  Modality<UnitPrice<F>, Limits, UnitRate<F>>,
  | 'readPrice'
  | 'rateOf'
  | 'comparePrices'
  | 'belowCost'
  | 'comparedBy'
  | 'tokens'
  | 'previewedUnits'
  | 'preview'
  | 'reprice'
>

/** What a modality says of its prices. `figures`: those that a price can have, the preferred ones first. */
export function pricedByUnit<F extends Figure, Limits>(figures: readonly F[], example: string): Priced<F, Limits> {
  const units = figures.map((figure) => UNITS[figure].unit)
  return {
    readPrice: (value) => readUnitPrice(value, figures, example),
    rateOf: unitRate,
    comparePrices: (yours, list) => compareUnits(yours && figuresOf(yours), figuresOf(list)),
    belowCost,
    comparedBy: figures,
    tokens: { input: units.filter((unit) => unit === 'input'), output: [] },
    previewedUnits: units,
    preview: (rate, counts) => rate.cost({ requests: 1, ...counts } as UnitCounts<F>),
    reprice: (rate, receipt) =>
      hasOnly(receipt, [UNITS[rate.price.figure].unit]) ? rate.cost(receipt.units as UnitCounts<F>)?.cost : undefined,
  }
}

export const shownPrice = <F extends Figure>({ price, multiplierMillionths }: UnitRate<F>): Record<string, string> =>
  shownFigures([[price.figure, price.price]], multiplierMillionths)

function readUnitPrice<F extends Figure>(
  value: YamlValue,
  figures: readonly F[],
  example: string,
): UnitPrice<F> | undefined {
  const fields = fieldsOf(value, Object.fromEntries(figures.map((figure) => [figure, true as const])), example)
  if (!fields) return undefined
  const [figure, other] = figures.filter((each) => fields.get(each))
  if (figure === undefined) addMistake(value, `${figures.join(' or ')} is missing; USD, such as ${example}`)
  if (figure === undefined) return undefined
  if (other !== undefined) addMistake(value, `${figure} and ${other} cannot both be the price; keep one of them`)
  const price = fields.required(figure, readUsd)
  return price === undefined ? undefined : { figure, price }
}

function unitRate<F extends Figure>(price: UnitPrice<F>, multiplierMillionths: bigint): UnitRate<F> {
  const { unit, per, most } = UNITS[price.figure]
  const costOf = (counts: UnitCounts<F>): { count: number; cost: Nanos } | undefined => {
    const count = (counts as Readonly<Record<string, number | undefined>>)[unit]
    if (count === undefined || !Number.isInteger(count) || count < 0 || count > most) return undefined
    return { count, cost: mediaTotal(BigInt(count) * price.price, per, multiplierMillionths) }
  }
  return {
    price,
    multiplierMillionths,
    bound: (counts) => costOf(counts)?.cost,
    cost(counts) {
      const counted = costOf(counts)
      if (!counted) return undefined
      const { count, cost } = counted
      return { cost, units: `"${unit}":${count}`, figures: `"${price.figure}":"${price.price}"` }
    },
  }
}

/** Prices by different units cannot be compared. */
function belowCost<F extends Figure>(sold: UnitPrice<F>, multiplierMillionths: bigint, cost: UnitPrice<F>) {
  const charged = (sold.price * multiplierMillionths) / MILLION
  if (sold.figure !== cost.figure || charged >= cost.price) return undefined
  return `${sold.figure} is ${formatUsd(charged)} and costs ${formatUsd(cost.price)}`
}

const figuresOf = <F extends Figure>({ figure, price }: UnitPrice<F>): UnitFigures => ({
  unit: figure,
  variants: new Map(),
  figureOf: () => price,
})
