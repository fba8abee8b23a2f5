// What a receipt says of its price, and how anyone can recompute the charge from it. Pure.
import { ceilDiv, formatUsd, type Nanos } from '../amount.ts'
import type { Charge } from './price.ts'
import { type Figures, KIND_NAMES, KINDS, SPECIAL_KINDS } from './token-kinds.ts'
import { atMostBookable, figureOf, ONE, type Terms } from './token-price.ts'
import type { Units } from './token-units.ts'

/** The part of a receipt that a charge follows from. Prices are nano-USD, per million tokens and per call, as text. */
export type PricedReceipt = {
  /** Those that are not zero; input and output always. Old receipts have `cachedInput` and `cacheWrite`. */
  units: Readonly<Record<string, number>>
  tools?: Readonly<Record<string, number>>
  price: {
    version: string
    multiplier_millionths: string
    long_context_above?: number
    tiers_millionths?: Readonly<Record<string, string>>
    tools?: Readonly<Record<string, string>>
  } & Readonly<Record<string, unknown>>
}

/** Only what is not zero, but for input and output. Members of a JSON object, as all texts here. */
export function unitsText(units: Units, terms: Terms | undefined): string {
  const { input, output, cachedInput, cacheWrite } = units
  let text = `"input":${input}`
  if (cachedInput) text += `,"cached_input":${cachedInput}`
  if (cacheWrite) text += `,"cache_write":${cacheWrite}`
  text += `,"output":${output}`
  if (terms) for (const kind of SPECIAL_KINDS) if (units[kind]) text += `,"${KIND_NAMES[kind]}":${units[kind]}`
  return text
}

export function callsByName({ tools }: Terms): Record<string, number> | undefined {
  if (tools.size === 0) return undefined
  return Object.fromEntries([...tools].map(([tool, { calls }]) => [tool, calls]))
}

/** Of a price with four figures and nothing else: the same for every request. */
export function plainFiguresText({ input, cachedInput, cacheWrite, output }: Figures): string {
  return `"input":"${input}","cached_input":"${cachedInput}","cache_write":"${cacheWrite}","output":"${output}"`
}

/** The figures that were used, and nothing more. Concatenated by hand, since every receipt of such a price has it. */
export function figuresText(units: Units, { figures, tiers, tools, above }: Terms): string {
  let text = ''
  for (const kind of KINDS) {
    const isUsed = kind === 'input' || kind === 'output' || units[kind]
    if (isUsed) text += `${text && ','}"${KIND_NAMES[kind]}":"${figureOf(figures, kind)}"`
  }
  if (above !== undefined) text += `,"long_context_above":${above}`
  if (tiers.size > 0) text += `,"tiers_millionths":${textsOf(tiers, (multiplier) => multiplier)}`
  if (tools.size > 0) text += `,"tools":${textsOf(tools, ({ price }) => price)}`
  return text
}

/** What the charges of a request were computed from; `multiplierMillionths` is the group's. */
export function priceText(version: string, charges: readonly Charge[], multiplierMillionths: bigint): string {
  const figures = charges.map((charge) => charge.figures).join(',')
  return `{"version":"${version}",${figures},"multiplier_millionths":"${multiplierMillionths}"}`
}

const textsOf = <T>(entries: ReadonlyMap<string, T>, figure: (entry: T) => bigint): string =>
  JSON.stringify(Object.fromEntries([...entries].map(([name, entry]) => [name, String(figure(entry))])))

/** Units that are priced one by one, with the name of their figure; all others are tokens, priced per million. */
const SINGLE_UNITS: Readonly<Record<string, string>> = {
  ...{ images: 'per_image', videos: 'per_video', seconds: 'per_second', video_tokens: 'per_million_tokens' },
}
export const isSingleFigure = (name: string): boolean => name.startsWith('per_')

/** `figure` is for `per` units. */
type Line = { count: number; name: string; figure: bigint; per: bigint }
type Parts = { tokens: Line[]; singles: Line[]; tiers: bigint[]; multiplier: bigint }

const OLD_NAMES: Readonly<Record<string, string>> = { cachedInput: 'cached_input', cacheWrite: 'cache_write' }

function partsOf({ units, tools = {}, price }: PricedReceipt): Parts {
  const lines = Object.entries(units).map(([written, count]): Line => {
    const name = OLD_NAMES[written] ?? written
    const figure = BigInt(String(price[SINGLE_UNITS[name] ?? name] ?? 0))
    return { count, name, figure, per: name in SINGLE_UNITS && name !== 'video_tokens' ? 1n : ONE }
  })
  const tokens = lines.filter(
    ({ count, name }) => !(name in SINGLE_UNITS) && (count > 0 || name === 'input' || name === 'output'),
  )
  const calls = Object.entries(tools).map(
    ([name, count]): Line => ({ count, name, figure: BigInt(price.tools?.[name] ?? 0), per: 1n }),
  )
  const singles = [...lines.filter(({ name }) => name in SINGLE_UNITS), ...calls]
  const tiers = Object.values(price.tiers_millionths ?? {}).map(BigInt)
  return { tokens, singles, tiers, multiplier: BigInt(price.multiplier_millionths) }
}

/** In millionths: seconds have up to three decimals. */
const totalOf = (lines: Line[]): bigint =>
  lines.reduce((sum, { count, figure, per }) => sum + (BigInt(Math.round(count * 1_000)) * figure * 1_000n) / per, 0n)

/** The charge, from nothing but the receipt. */
export function recompute(receipt: PricedReceipt): Nanos {
  const { tokens, singles, tiers, multiplier } = partsOf(receipt)
  // All of it over one denominator: per million tokens, in millionths for each tier and for the group.
  const scale = ONE ** BigInt(tiers.length) * ONE
  const inTokens = tokens.reduce((sum, { count, figure }) => sum + BigInt(count) * figure, 0n)
  const sum = tiers.reduce((product, tier) => product * tier, inTokens) + (totalOf(singles) * scale) / ONE
  return atMostBookable(ceilDiv(sum * multiplier, scale * ONE))
}

/** `(120 input x 2.00 + 20 output x 8.00) / 1,000,000 x 1.5 = 0.0006 USD` */
export function formulaOf(receipt: PricedReceipt): string {
  const { tokens, singles, tiers, multiplier } = partsOf(receipt)
  const shown = ({ count, name, figure, per }: Line) =>
    `${count} ${name.replaceAll('_', ' ')} x ${formatUsd(figure)}${per === ONE && name in SINGLE_UNITS ? ' / 1,000,000' : ''}`
  const times = (factors: bigint[]) =>
    factors
      .filter((factor) => factor !== ONE)
      .map((factor) => ` x ${decimal(factor)}`)
      .join('')
  const inTokens = tokens.length === 0 ? [] : [`(${tokens.map(shown).join(' + ')}) / 1,000,000${times(tiers)}`]
  const sum = [...inTokens, ...singles.map(shown)].join(' + ')
  const product = singles.length > 0 && multiplier !== ONE ? `(${sum})` : sum
  return `${product}${times([multiplier])} = ${formatUsd(recompute(receipt))} USD`
}

/** 1_500_000n -> `1.5` */
function decimal(millionths: bigint): string {
  const places = (millionths % ONE).toString().padStart(6, '0').replace(/0+$/, '')
  return places === '' ? `${millionths / ONE}` : `${millionths / ONE}.${places}`
}
