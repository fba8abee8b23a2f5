// How much more or less a model bills than the gateway counts. Learned from counts that were made here and whose request was
// billed soon after: agents count a conversation just before they send it.
import type { CountedRequest, ModelStatistics } from './model-statistics.ts'

const MOST_COUNTS = 32
const REMEMBER_MS = 5 * 60_000
/** A request and its count differ in a few fields besides the text. */
const SAME_SIZE = 0.05
const OTHER_FIELDS_BYTES = 128
/** In shorter requests, these fields and the vendor's own additions would distort the factor. */
const SHORTEST_BYTES = 1_024
const WEIGHT = 1 / 4
const LEAST = 0.5
const MOST = 2

export function noteCount({ recentCounts }: ModelStatistics, counted: CountedRequest): void {
  if (counted.bytes < SHORTEST_BYTES || counted.tokens <= 0) return
  if (recentCounts.length >= MOST_COUNTS) recentCounts.shift()
  recentCounts.push(counted)
}

/** `billed`: a request that is text alone, with its reported input. A count is compared once. */
export function learnCorrection(statistics: ModelStatistics, billed: CountedRequest): void {
  const { recentCounts } = statistics
  if (billed.tokens <= 0) return
  const found = recentCounts.findLastIndex((counted) => isSame(counted, billed))
  const [counted] = found === -1 ? [] : recentCounts.splice(found, 1)
  if (!counted) return
  const seen = Math.min(MOST, Math.max(LEAST, billed.tokens / counted.tokens))
  statistics.countCorrection += (seen - statistics.countCorrection) * WEIGHT
}

const isSame = (counted: CountedRequest, billed: CountedRequest): boolean =>
  counted.account === billed.account &&
  billed.at - counted.at <= REMEMBER_MS &&
  Math.abs(counted.bytes - billed.bytes) <= counted.bytes * SAME_SIZE + OTHER_FIELDS_BYTES
