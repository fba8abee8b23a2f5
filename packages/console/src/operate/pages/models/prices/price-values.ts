// Prices as a person edits them: every figure by its path, such as `tiers.priority`, as the text that was typed. Pure.
import { endpointOf, MODEL_TYPES, type ModelType } from '@trivium/gateway/endpoints/index.ts'

export { MODEL_TYPES, type ModelType }

export type Price = Readonly<Record<string, unknown>>
/** By path. */
export type Figures = Readonly<Record<string, string>>

const isObject = (value: unknown): value is Price =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lists have no paths: prices of several lengths of context are left as they are. */
export function figuresOf(price: unknown, above = ''): Figures {
  if (!isObject(price)) return {}
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(price)) {
    if (isObject(value)) Object.assign(found, figuresOf(value, `${above}${name}.`))
    else if (typeof value === 'string' || typeof value === 'number') found[above + name] = String(value)
  }
  return found
}

/** The price with these figures. What is not a figure, such as a list, stays; a figure without text is gone. */
export function withFigures(price: unknown, figures: Figures): Price {
  const result: Record<string, unknown> = Object.fromEntries(
    Object.entries(isObject(price) ? price : {}).filter(([, value]) => Array.isArray(value)),
  )
  for (const [path, text] of Object.entries(figures)) if (text.trim() !== '') put(result, path.split('.'), text.trim())
  return result
}

function put(target: Record<string, unknown>, [name = '', ...rest]: string[], value: string): void {
  if (rest.length === 0) target[name] = value
  else {
    const within = isObject(target[name]) ? { ...target[name] } : {}
    put(within, rest, value)
    target[name] = within
  }
}

/** The figures that say most: of a table, and of a new price. */
export function mainFigures(type: ModelType, figures: Figures): readonly string[] {
  const { usual, output = 'output' } = endpointOf(type).figures
  const isPlain = (path: string) => !path.includes('.')
  const perUnit = Object.keys(figures).filter((path) => isPlain(path) && path.startsWith('per_'))
  if (perUnit.length > 0) return perUnit
  const byToken = ['input', output].filter((path) => path in figures)
  return byToken.length > 0 ? byToken : usual
}

/** What can be added to a price besides what it has. */
export const addableFigures = (type: ModelType): readonly string[] => endpointOf(type).figures.all

const PLACES = 9

/** In billionths. undefined: not an amount. */
function amountOf(text: string | undefined): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{0,9}))?$/.exec(text?.trim() ?? '') ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(PLACES, '0'))
}

/** One decimal, rounded down as the gateway does. undefined: one of them is not known. */
export function marginOf(price: string | undefined, cost: string | undefined): number | undefined {
  const [sold, paid] = [amountOf(price), amountOf(cost)]
  if (sold === undefined || paid === undefined || sold === 0n) return undefined
  const tenths = (sold - paid) * 1_000n
  const floor = tenths / sold - (tenths < 0n && tenths % sold !== 0n ? 1n : 0n)
  return Number(floor) / 10
}

type Route = { priority: number; weight: number; cost?: Price | null }

/** What the routes that are tried first cost: the highest of each figure. undefined: one of them is not known. */
export function firstCosts(routes: readonly Route[]): Figures | undefined {
  const inUse = routes.filter(({ weight }) => weight > 0)
  const first = Math.min(...inUse.map(({ priority }) => priority))
  const costs: Record<string, string> = {}
  for (const { cost } of inUse.filter(({ priority }) => priority === first)) {
    if (!cost) return undefined
    for (const [path, value] of Object.entries(figuresOf(cost)))
      if ((amountOf(value) ?? 0n) > (amountOf(costs[path]) ?? -1n)) costs[path] = value
  }
  return Object.keys(costs).length === 0 ? undefined : costs
}
