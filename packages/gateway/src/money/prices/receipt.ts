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
    media_tiers_millionths?: Readonly<Record<string, string>>
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

/** A price with four figures and nothing else has the same text for every request. */
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
  let figures = ''
  for (const charge of charges) figures += `${figures && ','}${charge.figures}`
  return `{"version":"${version}",${figures},"multiplier_millionths":"${multiplierMillionths}"}`
}

const textsOf = <T>(entries: ReadonlyMap<string, T>, figure: (entry: T) => bigint): string =>
  JSON.stringify(Object.fromEntries([...entries].map(([name, entry]) => [name, String(figure(entry))])))

/** Figures of units that are not text tokens: `per_image`, `per_second`, `per_million_characters`. */
export const isUnitFigure = (name: string): boolean => name.startsWith('per_')

const MANY: readonly [prefix: string, per: bigint][] = [
  ['per_million_', ONE],
  ['per_thousand_', 1_000n],
]

const AUDIO_SECONDS = /^audio_seconds(_\d+)?$/

/**
 * The figure of a unit that is not text tokens, by its name alone: `images` cost `per_image`, `searches` cost `per_search` or
 * `per_thousand_searches`, `audio_seconds` cost `per_minute`. Units of several prices are several lines: `images_2` cost
 * `per_image_2`. All of them are one charge.
 */
function unitFigure(name: string, price: PricedReceipt['price']): { figure: string; per: bigint } | undefined {
  const many = MANY.map(([prefix, per]) => ({ figure: prefix + name, per }))
  const singulars = [/s$/, /es$/].map((plural) => withoutSuffix(name).replace(plural, ''))
  const one = singulars.map((singular) => ({ figure: `per_${singular}${suffixOf(name)}`, per: 1n }))
  const minutes = AUDIO_SECONDS.test(name) ? [{ figure: `per_minute${suffixOf(name)}`, per: 60n }] : []
  return [...many, ...one, ...minutes].find(({ figure }) => Object.hasOwn(price, figure))
}

/** `figure` is for `per` units. */
type Line = { count: number; name: string; figure: bigint; per: bigint; isToken?: true }
/** The tokens of several calls at different prices are several charges: `input`, `input_2`. */
type TokenLines = { lines: Line[]; tiers: bigint[]; multiplier: bigint }
type Parts = {
  tokens: TokenLines[]
  calls: Line[]
  media: Line[]
  /** Those of images and videos: a service tier, a draft. */
  mediaTiers: bigint[]
  multiplier: bigint
  mediaMultiplier: bigint
}

/** Members of `price` that are no price of a unit. */
export const isPriceTerm = (name: string): boolean => /_millionths(_\d+)?$|^long_context_above_\d+$/.test(name)

const OLD_NAMES: Readonly<Record<string, string>> = { cachedInput: 'cached_input', cacheWrite: 'cache_write' }

/** `_2` of `input_2`. Most names have none, and end in a letter. */
const suffixOf = (name: string): string => (/\d$/.test(name) ? (/_\d+$/.exec(name)?.[0] ?? '') : '')
const withoutSuffix = (name: string): string => name.slice(0, name.length - suffixOf(name).length)

function partsOf({ units, tools = {}, price }: PricedReceipt): Parts {
  const hasUnits = Object.keys(price).some(isUnitFigure)
  const lines = Object.entries(units).map(([written, count]): Line => {
    const name = OLD_NAMES[written] ?? written
    const unit = hasUnits ? unitFigure(name, price) : undefined
    const figure = BigInt(String(price[unit?.figure ?? name] ?? 0))
    return unit ? { count, name, figure, per: unit.per } : { count, name, figure, per: ONE, isToken: true }
  })
  const calls = Object.entries(tools).map(
    ([name, count]): Line => ({ count, name, figure: BigInt(price.tools?.[name] ?? 0), per: 1n }),
  )
  const isCounted = ({ name, count, isToken }: Line) => isToken && (count > 0 || name === 'input' || name === 'output')
  const bySuffix = new Map<string, Line[]>()
  for (const line of lines.filter(isCounted)) {
    const suffix = suffixOf(line.name)
    const known = bySuffix.get(suffix)
    if (known) known.push(line)
    else bySuffix.set(suffix, [line])
  }
  const multiplierOf = (name: string) => BigInt(String(price[name] ?? price.multiplier_millionths))
  return {
    tokens: [...bySuffix].map(([suffix, each]) => ({
      lines: each,
      tiers: Object.values(price[`tiers_millionths${suffix}`] ?? {}).map(BigInt),
      multiplier: multiplierOf(`multiplier_millionths${suffix}`),
    })),
    calls,
    media: lines.filter(({ isToken }) => !isToken),
    mediaTiers: Object.values(price.media_tiers_millionths ?? {}).map(BigInt),
    multiplier: BigInt(price.multiplier_millionths),
    mediaMultiplier: multiplierOf('media_multiplier_millionths'),
  }
}

/** What every `per` divides. */
const EVERY_PER = 60n * ONE

/** The charge, from nothing but the receipt: what each price charges is rounded up once. */
export function recompute(receipt: PricedReceipt): Nanos {
  return chargeOf(partsOf(receipt))
}

function chargeOf({ tokens, calls, media, mediaTiers, multiplier, mediaMultiplier }: Parts): Nanos {
  const total = (lines: Line[]) => lines.reduce((sum, { count, figure }) => sum + BigInt(count) * figure, 0n)
  const costOfTokens = ({ lines, tiers, multiplier }: TokenLines, calls: Line[]): Nanos => {
    // All of it over one denominator: per million tokens, in millionths for each tier and for the group.
    const scale = ONE ** BigInt(tiers.length) * ONE
    const sum = tiers.reduce((product, tier) => product * tier, total(lines)) + total(calls) * scale
    return ceilDiv(sum * multiplier, scale * ONE)
  }
  const [first = { lines: [], tiers: [], multiplier }, ...others] = tokens
  // Seconds have up to three decimals.
  const sumOf = ({ count, figure, per }: Line): bigint => BigInt(Math.round(count * 1_000)) * figure * (EVERY_PER / per)
  const factors = mediaTiers.reduce((product, tier) => product * tier, mediaMultiplier)
  const scale = ONE ** BigInt(mediaTiers.length) * ONE * EVERY_PER * 1_000n
  const sum = media.reduce((total, line) => total + sumOf(line), 0n)
  const costs = [ceilDiv(sum * factors, scale), ...others.map((each) => costOfTokens(each, []))]
  return atMostBookable(costs.reduce((cost, each) => cost + each, costOfTokens(first, calls)))
}

const wordsOf = (name: string): string => withoutSuffix(name).replaceAll('_', ' ')
/** Units that are not text tokens have plurals as names: `1 image`, `1 search`. */
const singularOf = (name: string): string => name.replace(/(?<=ch|sh|ss|x)es(?=$|_\d+$)|s(?=$|_\d+$)/, '')

/** `(120 input x 2.00 + 20 output x 8.00) / 1,000,000 x 1.5 = 0.0006 USD` */
export function formulaOf(receipt: PricedReceipt): string {
  const receiptParts = partsOf(receipt)
  const { tokens, calls, media, mediaTiers, multiplier, mediaMultiplier } = receiptParts
  const charge = formatUsd(chargeOf(receiptParts))
  const shown = ({ count, name, figure }: Line) => `${count} ${wordsOf(name)} x ${formatUsd(figure)}`
  const times = (factors: bigint[]) =>
    factors
      .filter((factor) => factor !== ONE)
      .map((factor) => ` x ${decimal(factor)}`)
      .join('')
  const shownMedia = (line: Line) => {
    const name = line.count === 1 ? singularOf(line.name) : line.name
    return `${shown({ ...line, name })}${line.per > 1n ? ` / ${line.per.toLocaleString('en')}` : ''}${times(mediaTiers)}`
  }
  const ofTokens = tokens.map((each) => ({
    text: `(${each.lines.map(shown).join(' + ')}) / 1,000,000${times(each.tiers)}`,
    multiplier: each.multiplier,
  }))
  const priced = [
    ...ofTokens,
    ...calls.map((line) => ({ text: shown(line), multiplier })),
    ...media.map((line) => ({ text: shownMedia(line), multiplier: mediaMultiplier })),
  ]
  if (priced.some((part) => part.multiplier !== multiplier)) {
    const each = priced.map((part) => part.text + times([part.multiplier]))
    return `${each.join(' + ')} = ${charge} USD`
  }
  const parts = priced.map(({ text }) => text)
  const product = parts.length > 1 && multiplier !== ONE ? `(${parts.join(' + ')})` : parts.join(' + ')
  return `${product}${times([multiplier])} = ${charge} USD`
}

/** One summand of a charge: `count` x `price` / `per` x `factors` = `cost`. All of it exact decimals, as text. */
export type ChargeLine = { name: string; count: number; price: string; per: number; factors: string[]; cost: string }
/** The lines and `rounding` add up to the charge. */
export type ChargeLines = { lines: ChargeLine[]; rounding: string }

/** Counts have three decimals, amounts nine; a price per million and each factor add six. */
const COUNT_PLACES = 3
const USD_PLACES = 9
const ONE_PLACES = 6

/** The formula as a table. */
export function linesOf(receipt: PricedReceipt): ChargeLines {
  const { tokens, calls, media, mediaTiers, multiplier, mediaMultiplier } = partsOf(receipt)
  const factored = [
    ...tokens.flatMap(({ lines, tiers, multiplier }) =>
      lines.map((line) => ({ line, factors: [...tiers, multiplier] })),
    ),
    ...calls.map((line) => ({ line, factors: [multiplier] })),
    ...media.map((line) => ({ line, factors: [...mediaTiers, mediaMultiplier] })),
  ]
  const most = Math.max(1, ...factored.map(({ factors }) => factors.length))
  // All summands over one denominator, so that their sum is exact.
  const places = COUNT_PLACES + USD_PLACES + ONE_PLACES * (1 + most)
  const costOf = ({ count, figure, per }: Line, factors: readonly bigint[]): bigint => {
    const unused = ONE ** BigInt(most - factors.length) * ONE
    const product = BigInt(Math.round(count * 1_000)) * figure * unused
    // Sixtieths may have endless decimals; what is cut off is part of the rounding.
    return factors.reduce((total, factor) => total * factor, product) / per
  }
  const costs = factored.map(({ line, factors }) => costOf(line, factors))
  const sum = costs.reduce((total, cost) => total + cost, 0n)
  const charge = recompute(receipt) * 10n ** BigInt(places - USD_PLACES)
  return {
    lines: factored.map(({ line: { name, count, figure, per }, factors }, index) => ({
      name: withoutSuffix(name),
      count,
      price: formatUsd(figure),
      per: Number(per),
      factors: factors.filter((factor) => factor !== ONE).map(decimal),
      cost: exactUsd(costs[index] ?? 0n, places),
    })),
    rounding: exactUsd(charge - sum, places),
  }
}

/** At least two decimals, and as many as the amount has. */
function exactUsd(units: bigint, places: number): string {
  const digits = String(units)
    .replace('-', '')
    .padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0+$/, '').padEnd(2, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -places)}.${fraction}`
}

/** 1_500_000n -> `1.5` */
function decimal(millionths: bigint): string {
  const places = (millionths % ONE).toString().padStart(6, '0').replace(/0+$/, '')
  return places === '' ? `${millionths / ONE}` : `${millionths / ONE}.${places}`
}
