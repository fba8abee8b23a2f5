// Token prices in the file: USD, read digit by digit. An omitted figure takes the most expensive plausible value of those
// given; anything lower would be a discount that was not granted.
import type { Nanos } from '../../../money/amount.ts'
import { type Figures, KIND_NAMES, KINDS, type Kind } from '../../../money/prices/token-kinds.ts'
import { type LongContext, type Tier, type TokenPrice, USUAL_TIERS } from '../../../money/prices/token-price.ts'
import { closestMatch } from '../../../yaml/closest-match.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import {
  entriesOf,
  type FieldRules,
  type Fields,
  fieldsOf,
  isList,
  isScalarValue,
  itemsOf,
  quote,
  type Reader,
} from '../../../yaml/fields.ts'
import { readInteger, readMultiplier, readUsd } from '../../../yaml/scalars.ts'

type Written = { [K in Kind]?: Nanos }

const FIGURE_FIELDS: FieldRules = Object.fromEntries(Object.values(KIND_NAMES).map((name) => [name, true as const]))
const media = 'is for models of type image or video; a text model has input and output, in USD per million tokens'
const PRICE_FIELDS: FieldRules = {
  ...FIGURE_FIELDS,
  long_context: true,
  tiers: true,
  tools: true,
  variants: media,
  per_image: media,
  per_second: media,
  per_video: media,
  per_million_tokens: media,
}
const LONG_FIELDS: FieldRules = { above: true, ...FIGURE_FIELDS }
const TIER_FIELDS: FieldRules = { ...FIGURE_FIELDS, long_context: true }

const PRICE_EXAMPLE = 'price: { input: 2.00, output: 8.00 }'
const LONG_EXAMPLE = 'long_context: { above: 200000, input: 4.00, output: 12.00 }'
const TIERS_EXAMPLE = 'tiers: { priority: 2, flex: 0.5 }'
const TOOLS_EXAMPLE = 'tools: { web_search: 0.01 }'

/** Other names are allowed, but one that is close to a known name is a typing error and would never be charged. */
const KNOWN_TIERS = ['priority', 'flex', 'scale', 'batch', 'fast']
const KNOWN_TOOLS = [
  'web_search',
  'file_search',
  'code_interpreter',
  'image_generation',
  'x_search',
  'google_maps',
  'retrieval',
  'container',
  'web_fetch',
]
/** Features whose usage is not metered here, because they respond later, elsewhere or by other models. */
const UNPRICEABLE: ReadonlySet<string> = new Set([
  'background',
  'fallbacks',
  'fallback_credit',
  'models',
  'model_routing',
  'model_armor',
  'inference_geo',
  'advisor',
  'container_memory',
])
/** Other vendors' names of the same tools. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  code_execution: 'code_interpreter',
  collections_search: 'file_search',
  google_search: 'web_search',
}
const MOST_ENTRIES = 32

/** USD per million tokens. A price of zero must be explicit: a forgotten price would give the model away. */
export function readTokenPrice(value: YamlValue): TokenPrice | undefined {
  const fields = fieldsOf(value, PRICE_FIELDS, PRICE_EXAMPLE)
  if (!fields) return undefined
  const written = readWholeTable(fields)
  const long = fields.get('long_context')
  const longContext = long && readLongContext(long, written)
  const tiers = readTiers(fields.get('tiers'), long !== undefined)
  const tools = readTools(fields.get('tools'))
  const figures = figuresOf(written)
  if (!figures) return undefined
  return {
    ...figures,
    ...(longContext && longContext.length > 0 ? { longContext } : {}),
    ...(tiers.size > 0 ? { tiers } : {}),
    ...(tools.size > 0 ? { tools } : {}),
  }
}

/** A complete table has at least an input and an output price. */
function readWholeTable(fields: Fields): Written {
  const written = readFigures(fields)
  for (const name of ['input', 'output'] as const) {
    fields.required(name, () => written[name], `USD per million tokens; write ${name}: 0 if it is free`)
  }
  return written
}

function readFigures(fields: Fields): Written {
  const written: Written = {}
  for (const kind of KINDS) {
    const figure = fields.optional<Nanos | undefined>(KIND_NAMES[kind], readUsd, undefined)
    if (figure !== undefined) written[kind] = figure
  }
  return written
}

/** Fills in the common figures. Special figures stay absent, and their tokens are charged at the figure they fall back to. */
function figuresOf(written: Written): Figures | undefined {
  const { input, output, cachedInput = input, cacheWrite = input } = written
  if (input === undefined || output === undefined || cachedInput === undefined || cacheWrite === undefined) {
    return undefined
  }
  return { ...written, input, output, cachedInput, cacheWrite }
}

/** One entry or a list. Omitted figures are those of the price that it belongs to. */
function readLongContext(value: YamlValue, base: Written): LongContext[] {
  const items = isList(value) ? (itemsOf(value, LONG_EXAMPLE) ?? []) : [value]
  const found = items.flatMap((item): LongContext[] => {
    const fields = fieldsOf(item, LONG_FIELDS, LONG_EXAMPLE)
    if (!fields) return []
    const above = fields.required('above', readInteger({ min: 1, max: 1_000_000_000 }), 'tokens of input')
    const own = readFigures(fields)
    if (Object.keys(own).length === 0) addMistake(item, `has no price of its own; write ${LONG_EXAMPLE}`)
    const figures = figuresOf({ ...base, ...own })
    return above === undefined || !figures ? [] : [{ above, figures }]
  })
  found.sort((one, other) => one.above - other.above)
  const twice = found.find(({ above }, index) => found[index + 1]?.above === above)
  if (twice) addMistake(value, `two prices above ${twice.above} tokens; keep one of them`)
  checkEntryCount(value, found.length)
  return found
}

const readTiers = (value: YamlValue | undefined, hasLongContext: boolean): Map<string, Tier> =>
  readNamed(value, TIERS_EXAMPLE, 'tier', KNOWN_TIERS, (field) =>
    isScalarValue(field) ? readTierMultiplier(field) : readTierTable(field, hasLongContext),
  )

/** For models that are not priced by the token: their tiers are multipliers alone. */
export const readMultipliers = (value: YamlValue | undefined): Map<string, bigint> =>
  readNamed(value, 'tiers: { flex: 0.5 }', 'tier', KNOWN_TIERS, readMultiplier)

function readTierMultiplier(value: YamlValue): Tier | undefined {
  const multiplierMillionths = readMultiplier(value)
  return multiplierMillionths === undefined ? undefined : { multiplierMillionths }
}

function readTierTable(value: YamlValue, hasLongContext: boolean): Tier | undefined {
  const fields = fieldsOf(value, TIER_FIELDS, '{ input: 3.50, output: 14.00 }, or a multiplier such as 2')
  if (!fields) return undefined
  const written = readWholeTable(fields)
  const long = fields.get('long_context')
  // Neither the tier's normal price nor the default long-context price would be right.
  if (!long && hasLongContext) {
    addMistake(value, `the price has long_context, so a tier with prices of its own needs it too: ${LONG_EXAMPLE}`)
  }
  const figures = figuresOf(written)
  const longContext = long ? readLongContext(long, written) : []
  return figures && { figures, longContext }
}

/** USD per call. */
export const readTools = (value: YamlValue | undefined): Map<string, Nanos> =>
  readNamed(value, TOOLS_EXAMPLE, 'tool', KNOWN_TOOLS, readUsd)

function readNamed<T>(
  value: YamlValue | undefined,
  example: string,
  noun: 'tier' | 'tool',
  known: readonly string[],
  read: Reader<T>,
): Map<string, T> {
  const entries = value ? entriesOf(value, example) : []
  if (value) checkEntryCount(value, entries.length)
  const found = entries.flatMap(([name, field]): [string, T][] => {
    const isKnown = checkWord(field, name, noun, known)
    const entry = read(field)
    return isKnown && entry !== undefined ? [[name, entry]] : []
  })
  return new Map(found)
}

/** False, with a mistake reported, for names that would never be charged or must not be. */
function checkWord(field: YamlValue, name: string, noun: 'tier' | 'tool', known: readonly string[]): boolean {
  const mistake = wordMistake(name, noun, known)
  if (mistake !== undefined) addMistake(field, mistake)
  return mistake === undefined
}

function wordMistake(name: string, noun: 'tier' | 'tool', known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined
  if (noun === 'tier' && USUAL_TIERS.has(name)) return 'is the default tier, which the price itself covers; remove it'
  if (noun === 'tier' && name === 'auto') {
    return 'is not a tier: it lets the vendor choose one; list the tiers that it may choose'
  }
  if (UNPRICEABLE.has(name)) return 'cannot be priced: its usage is not metered; remove it'
  const guess = noun === 'tool' && Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : closestMatch(name, known)
  if (guess) return `unknown ${noun} ${quote(name)}; did you mean ${guess}?`
  if (/^[a-z][a-z0-9_.-]{0,63}$/.test(name)) return undefined
  return `${quote(name)} is not a valid ${noun} name; use lowercase letters, digits and "_"`
}

function checkEntryCount(value: YamlValue, entries: number): void {
  if (entries > MOST_ENTRIES) addMistake(value, `has ${entries} entries; at most ${MOST_ENTRIES} are allowed`)
}
