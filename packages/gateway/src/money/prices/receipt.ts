// What a receipt says of its price, and how anyone can recompute the charge from it. Pure.
import { ceilDiv, formatUsd, type Nanos } from '../amount.ts'
import { atMostBookable, figureOf, KIND_NAMES, KINDS, ONE, SPECIAL_KINDS, type Terms } from './token-price.ts'
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

/** Only what is not zero, but for input and output. */
export function unitsText(units: Units, terms: Terms | undefined): string {
  const { input, output, cachedInput, cacheWrite } = units
  let text = `{"input":${input}`
  if (cachedInput) text += `,"cached_input":${cachedInput}`
  if (cacheWrite) text += `,"cache_write":${cacheWrite}`
  text += `,"output":${output}`
  if (terms) for (const kind of SPECIAL_KINDS) if (units[kind]) text += `,"${KIND_NAMES[kind]}":${units[kind]}`
  return `${text}}`
}

export function callsByName({ tools }: Terms): Record<string, number> | undefined {
  if (tools.size === 0) return undefined
  return Object.fromEntries([...tools].map(([tool, { calls }]) => [tool, calls]))
}

/** The figures that were used, and nothing more, as JSON; put together by hand, since every receipt of such a price has it. */
export function termsText(version: string, units: Units, terms: Terms, multiplierMillionths: bigint): string {
  const { figures, tiers, tools, above } = terms
  let text = `{"version":"${version}"`
  for (const kind of KINDS) {
    const isUsed = kind === 'input' || kind === 'output' || units[kind]
    if (isUsed) text += `,"${KIND_NAMES[kind]}":"${figureOf(figures, kind)}"`
  }
  if (above !== undefined) text += `,"long_context_above":${above}`
  if (tiers.size > 0) text += `,"tiers_millionths":${textsOf(tiers, (multiplier) => multiplier)}`
  if (tools.size > 0) text += `,"tools":${textsOf(tools, ({ price }) => price)}`
  return `${text},"multiplier_millionths":"${multiplierMillionths}"}`
}

const textsOf = <T>(entries: ReadonlyMap<string, T>, figure: (entry: T) => bigint): string =>
  JSON.stringify(Object.fromEntries([...entries].map(([name, entry]) => [name, String(figure(entry))])))

type Line = { count: number; name: string; figure: bigint }
type Parts = { tokens: Line[]; calls: Line[]; tiers: bigint[]; multiplier: bigint }

const OLD_NAMES: Readonly<Record<string, string>> = { cachedInput: 'cached_input', cacheWrite: 'cache_write' }

function partsOf({ units, tools = {}, price }: PricedReceipt): Parts {
  const tokens = Object.entries(units)
    .map(([written, count]): Line => {
      const name = OLD_NAMES[written] ?? written
      return { count, name, figure: BigInt(String(price[name] ?? 0)) }
    })
    .filter(({ count, name }) => count > 0 || name === 'input' || name === 'output')
  const calls = Object.entries(tools).map(
    ([name, count]): Line => ({ count, name, figure: BigInt(price.tools?.[name] ?? 0) }),
  )
  const tiers = Object.values(price.tiers_millionths ?? {}).map(BigInt)
  return { tokens, calls, tiers, multiplier: BigInt(price.multiplier_millionths) }
}

/** The charge, from nothing but the receipt. */
export function recompute(receipt: PricedReceipt): Nanos {
  const { tokens, calls, tiers, multiplier } = partsOf(receipt)
  const total = (lines: Line[]) => lines.reduce((sum, { count, figure }) => sum + BigInt(count) * figure, 0n)
  // All of it over one denominator: per million tokens, in millionths for each tier and for the group.
  const scale = ONE ** BigInt(tiers.length) * ONE
  const sum = tiers.reduce((product, tier) => product * tier, total(tokens)) + total(calls) * scale
  return atMostBookable(ceilDiv(sum * multiplier, scale * ONE))
}

/** `(120 input x 2.00 + 20 output x 8.00) / 1,000,000 x 1.5 = 0.0006 USD` */
export function formulaOf(receipt: PricedReceipt): string {
  const { tokens, calls, tiers, multiplier } = partsOf(receipt)
  const shown = ({ count, name, figure }: Line) => `${count} ${name.replaceAll('_', ' ')} x ${formatUsd(figure)}`
  const times = (factors: bigint[]) =>
    factors
      .filter((factor) => factor !== ONE)
      .map((factor) => ` x ${decimal(factor)}`)
      .join('')
  const tokenPart = `(${tokens.map(shown).join(' + ')}) / 1,000,000${times(tiers)}`
  const sum = [tokenPart, ...calls.map(shown)].join(' + ')
  const product = calls.length > 0 && multiplier !== ONE ? `(${sum})` : sum
  return `${product}${times([multiplier])} = ${formatUsd(recompute(receipt))} USD`
}

/** 1_500_000n -> `1.5` */
function decimal(millionths: bigint): string {
  const places = (millionths % ONE).toString().padStart(6, '0').replace(/0+$/, '')
  return places === '' ? `${millionths / ONE}` : `${millionths / ONE}.${places}`
}
