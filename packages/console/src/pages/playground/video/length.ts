// How long a video becomes, and what is held for it until it is done. Pure.
import type { ModelRow } from '../../../api/types.ts'
import { nanosOf, usdText } from '../../usage/series.ts'

type Limits = ModelRow['limits']
type Price = ModelRow['prices'][number]['price']

/** What a person probably wants of a model that has no length of its own: it would be paid for, or held for, as the longest. */
const USUAL_SECONDS = 5
/** What the gateway assumes of a model without limits. */
const LONGEST_SECONDS = 120

const rangeOf = ({ seconds }: Limits): readonly number[] => (Array.isArray(seconds) ? seconds.map(Number) : [])

/** Empty: the model's own. */
export function usualSeconds(limits: Limits): string {
  if (typeof limits.default_seconds === 'number') return ''
  const [least = USUAL_SECONDS, most = USUAL_SECONDS] = rangeOf(limits)
  return String(Math.min(Math.max(USUAL_SECONDS, least), most))
}

/** USD. undefined: the model is not priced by the second. */
export function heldFor(
  price: Price,
  limits: Limits,
  chosen: { seconds: string; resolution: string },
): string | undefined {
  const { per_second: usd, variants } = price
  if (typeof usd !== 'string') return undefined
  const [, most = LONGEST_SECONDS] = rangeOf(limits)
  const seconds = Number(chosen.seconds) || Number(limits.default_seconds) || most
  const resolution = chosen.resolution || limits.default_resolution
  const figures = new Map(Object.entries(Object(variants)).map(([name, each]) => [name, String(each)]))
  const possible = typeof resolution === 'string' ? [figures.get(resolution) ?? usd] : [usd, ...figures.values()]
  const highest = possible.map(nanosOf).reduce((one, other) => (one > other ? one : other))
  return usdText(highest * BigInt(Math.ceil(seconds)))
}
