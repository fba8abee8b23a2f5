// Billing expressions, as far as they are prices for tokens: sums of counts times figures, in tiers by the length of the input.
// Whatever else an expression may contain is not guessed.
import { type Exact, exactOf, NONE, ONE, times } from '../quota/exact.ts'
import type { Figures, TokenFigures } from '../quota/prices/figures.ts'

export const TOO_MUCH =
  'The billing expression depends on more than the number of tokens and the length of the input. Give the model a price.'

/** What an expression does not count is in `p` or `c`, as here in input or output. */
const COUNTS: ReadonlyMap<string, string> = new Map([
  ['p', 'input'],
  ['c', 'output'],
  ['cr', 'cached_input'],
  ['cc', 'cache_write'],
  ['cc1h', 'cache_write_1h'],
  ['img', 'image_input'],
  ['ai', 'audio_input'],
  ['ao', 'audio_output'],
  ['img_o', 'image_output'],
])

const LONGEST = 10_000
const TIER = String.raw`tier\(\s*"(?:[^"\\]|\\.)*"\s*,\s*([^()"?:]+|fixed\([^()]*\))\s*\)`
const LAST = new RegExp(`^${TIER}$`)
const FIRST = new RegExp(String.raw`^len\s*(<=?|>=?)\s*(\d{1,9})\s*\?\s*${TIER}\s*:\s*([\s\S]+)$`)

export function expressionFigures(text: string): Figures {
  const tiers = text.length > LONGEST ? undefined : tiersIn(text.trim().replace(/^v1:\s*/, ''))
  const [first, ...more] = tiers?.sort((one, other) => one.above - other.above) ?? []
  const call = /^fixed\((.*)\)$/.exec(first?.sum ?? '')
  const usd = exactOf(call?.[1])
  if (usd && more.length === 0) return { by: 'call', usd }
  const [figures, ...longer] = [first, ...more].map((tier) => tier && sumOf(tier.sum))
  const long = longer.flatMap((each, at) => (each ? [{ above: more[at]?.above ?? 0, figures: each }] : []))
  return figures && long.length === more.length ? { by: 'tokens', figures, long } : { by: 'rule', says: TOO_MUCH }
}

type Tier = { above: number; sum: string }

/** Each condition takes a part of the lengths that are left, and the last tier has the rest. */
function tiersIn(text: string, above = 0, most = Number.POSITIVE_INFINITY): Tier[] | undefined {
  const [, last] = LAST.exec(text) ?? []
  if (last !== undefined) return above < most ? [{ above, sum: last.trim() }] : []
  const [, operator = '', number = '', sum = '', rest = ''] = FIRST.exec(text) ?? []
  if (operator === '') return undefined
  const limit = Number(number) - (operator === '<' || operator === '>=' ? 1 : 0)
  const isShort = operator.startsWith('<')
  const inner = /^\((?:[\s\S]*)\)$/.test(rest) ? rest.slice(1, -1).trim() : rest
  const others = isShort ? tiersIn(inner, Math.max(above, limit), most) : tiersIn(inner, above, Math.min(most, limit))
  const start = isShort ? above : Math.max(above, limit)
  const isEmpty = start >= (isShort ? Math.min(most, limit) : most)
  return others && (isEmpty ? others : [{ above: start, sum: sum.trim() }, ...others])
}

/** `p * 2 + c * 8`: one count in each term, times any number of figures. */
function sumOf(sum: string): TokenFigures | undefined {
  const figures = new Map<string, Exact>()
  for (const term of sum.split('+')) {
    const factors = term.split('*').map((factor) => factor.trim())
    const names = factors.filter((factor) => COUNTS.has(factor))
    const numbers = factors.filter((factor) => !COUNTS.has(factor)).map((factor) => exactOf(factor))
    const name = COUNTS.get(names[0] ?? '')
    if (name === undefined || names.length > 1 || figures.has(name) || numbers.includes(undefined)) return undefined
    figures.set(name, times(...numbers.map((number) => number ?? ONE)))
  }
  return { input: NONE, output: NONE, ...Object.fromEntries(figures) }
}
