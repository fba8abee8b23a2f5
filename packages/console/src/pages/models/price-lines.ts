// Every figure of a model's price as lines of a table, with a column for each group. Pure.
import type { ModelRow } from '../../api/types.ts'

type Price = ModelRow['prices'][number]['price']
/** USD as decimal text, or a multiple of the other figures. */
export type Value = { usd: string } | { times: string }
export type Line = { label: string; values: (Value | undefined)[] }
/** Figures that apply in a case of their own, such as to a long context. The first has no title. */
export type Block = { title: string; lines: Line[] }

export type Names = {
  figures: Readonly<Record<string, string>>
  above(tokens: number): string
  tier(name: string): string
  tiers: string
  tools: string
  variants: string
}

export function priceBlocks(prices: readonly Price[], names: Names): Block[] {
  const blocks = new Map<string, Map<string, (Value | undefined)[]>>()
  for (const [column, price] of prices.entries()) {
    for (const [title, label, value] of entriesOf(price, names, '')) {
      const lines = blocks.get(title) ?? new Map<string, (Value | undefined)[]>()
      const values = lines.get(label) ?? prices.map(() => undefined)
      values[column] = value
      blocks.set(title, lines.set(label, values))
    }
  }
  return [...blocks].map(([title, lines]) => ({
    title,
    lines: [...lines].map(([label, values]) => ({ label, values })),
  }))
}

type Entry = [title: string, label: string, value: Value]

function entriesOf(price: Price, names: Names, title: string): Entry[] {
  const own = Object.entries(price).flatMap(([name, value]): Entry[] =>
    typeof value === 'string' ? [[title, names.figures[name] ?? name, { usd: value }]] : [],
  )
  const within = (part: string) => (title === '' ? part : `${title}, ${part}`)
  const long = listOf(price.long_context).flatMap((each) =>
    entriesOf(each, names, within(names.above(Number(each.above)))),
  )
  const tiers = Object.entries(mapOf(price.tiers)).flatMap(([tier, value]): Entry[] =>
    typeof value === 'string'
      ? [[names.tiers, tier, { times: value }]]
      : entriesOf(mapOf(value), names, names.tier(tier)),
  )
  return [...own, ...named(price.variants, names.variants), ...long, ...tiers, ...named(price.tools, names.tools)]
}

const named = (value: unknown, title: string): Entry[] =>
  Object.entries(mapOf(value)).map(([name, usd]) => [title, name, { usd: String(usd) }])

const mapOf = (value: unknown): Price =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
const listOf = (value: unknown): Price[] => (Array.isArray(value) ? value.map(mapOf) : [])
