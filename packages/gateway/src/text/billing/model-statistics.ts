// Statistics of each model's traffic in this process: tokens per byte, the length of responses, and their hidden reasoning. A
// charge is never computed from these while the upstream reports usage.

export type ModelStatistics = {
  inputTokensPerByte: number
  outputTokensPerByte: number
  /** Moving averages of a response's tokens: visible ones, and hidden reasoning. 0: not known yet. */
  visibleTokens: number
  hiddenTokens: number
  /** Raised when a hold was too small. */
  margin: number
  /** Lengths of responses, counted by powers of two. */
  histogram: Uint32Array
  samples: number
  /** What is billed for a request, divided by what the gateway counts: see count-correction.ts. */
  countCorrection: number
  /** Counts whose requests may be billed soon. */
  recentCounts: CountedRequest[]
}

/** A count that was made here, without its correction. `bytes`: the size of a request that is text alone. */
export type CountedRequest = { account: bigint; bytes: number; tokens: number; at: number }

/** Dense scripts and code run to about one token in three bytes; prose is sparser. Start on the safe side. */
const START_INPUT = 1 / 3
const START_OUTPUT = 1 / 4
const START_MARGIN = 1.25
const MAX_MARGIN = 8
const WEIGHT = 1 / 16
const HISTORY = 512
/** Longer responses are not expected, whatever an upstream once reported: holds for them would reserve whole balances. */
const LONGEST = 131_072

export type StatisticsByModel = {
  of(model: string): ModelStatistics
  /** The highest output cap that an upstream's model accepts, if it named it in a rejection. */
  maxOutput(upstream: string, model: string): number | undefined
  noteMaxOutput(upstream: string, model: string, tokens: number): void
}

export function createStatistics(): StatisticsByModel {
  const models = new Map<string, ModelStatistics>()
  // Both names come from the configuration, and the first has no spaces.
  const limits = new Map<string, number>()
  return {
    maxOutput: (upstream, model) => (limits.size === 0 ? undefined : limits.get(`${upstream} ${model}`)),
    noteMaxOutput: (upstream, model, tokens) => void limits.set(`${upstream} ${model}`, tokens),
    of(model) {
      let statistics = models.get(model)
      if (!statistics) {
        statistics = {
          inputTokensPerByte: START_INPUT,
          outputTokensPerByte: START_OUTPUT,
          margin: START_MARGIN,
          visibleTokens: 0,
          hiddenTokens: 0,
          histogram: new Uint32Array(32),
          samples: 0,
          countCorrection: 1,
          recentCounts: [],
        }
        models.set(model, statistics)
      }
      return statistics
    },
  }
}

/** Learns from requests that are text alone. A few bytes would only add noise. */
export function learnInput(statistics: ModelStatistics, textBytes: number, tokens: number): void {
  if (tokens <= 0 || !isText(textBytes, tokens)) return
  statistics.inputTokensPerByte = blend(statistics.inputTokensPerByte, tokens / textBytes)
}

/** `reasoning`: as reported; it may have been shown, or not. */
export function learnOutput(statistics: ModelStatistics, textBytes: number, tokens: number, reasoning?: number): void {
  if (tokens <= 0) return
  const hidden = hiddenIn(textBytes, tokens, reasoning)
  const visible = tokens - hidden
  // Where a part of the reasoning was seen, how many of the bytes are text is a guess.
  if (isText(textBytes, visible) && (hidden === 0 || hidden === reasoning))
    statistics.outputTokensPerByte = blend(statistics.outputTokensPerByte, visible / textBytes)
  learnReasoning(statistics, visible, hidden)
  const bucket = 32 - Math.clz32(Math.min(LONGEST, tokens))
  statistics.histogram[bucket] = (statistics.histogram[bucket] ?? 0) + 1
  if (++statistics.samples >= HISTORY) fade(statistics)
}

/** No text has more tokens than bytes: hidden reasoning, or what a vendor adds, would distort the ratio for all text. */
const isText = (textBytes: number, tokens: number): boolean => textBytes >= 64 && tokens <= textBytes

/** Tokens per byte of dense and of sparse text. */
const DENSE_TEXT = 1 / 3
const SPARSE_TEXT = 1 / 8

/**
 * Reasoning that is billed but not in the bytes. Some services show it: then the remaining tokens would be too few for so many
 * bytes. Where it is not reported, only more tokens than bytes prove that there was any.
 */
function hiddenIn(textBytes: number, tokens: number, reasoning: number | undefined): number {
  if (reasoning !== undefined && tokens - reasoning >= textBytes * SPARSE_TEXT) return Math.min(reasoning, tokens)
  const most = reasoning ?? (tokens > textBytes ? tokens : 0)
  return Math.max(0, Math.min(most, tokens - Math.ceil(textBytes * DENSE_TEXT)))
}

/** Averages of both, not of their quotient: a response of one word says little about the next. */
function learnReasoning(statistics: ModelStatistics, visible: number, hidden: number): void {
  const isFirst = !knowsReasoning(statistics)
  const [seen, unseen] = [Math.max(1, Math.min(LONGEST, visible)), Math.min(LONGEST, hidden)]
  statistics.visibleTokens = isFirst ? seen : blend(statistics.visibleTokens, seen)
  statistics.hiddenTokens = isFirst ? unseen : blend(statistics.hiddenTokens, unseen)
}

export const knowsReasoning = ({ visibleTokens }: ModelStatistics): boolean => visibleTokens > 0

const MOST_HIDDEN_PER_VISIBLE = 100

/** The reasoning to expect for so much visible output; 0 while nothing is known of the model. */
export function expectedReasoning(statistics: ModelStatistics, visible: number): number {
  if (!knowsReasoning(statistics)) return 0
  const share = Math.min(MOST_HIDDEN_PER_VISIBLE, statistics.hiddenTokens / statistics.visibleTokens)
  return Math.round(visible * share)
}

export function learnShortfall(statistics: ModelStatistics): void {
  statistics.margin = Math.min(MAX_MARGIN, statistics.margin * 1.5)
}

/** An upper bound of the 95th percentile of recent responses, in tokens; 0 while nothing is known. */
export function recentP95(statistics: ModelStatistics): number {
  let above = Math.ceil(statistics.samples * 0.05)
  if (statistics.samples === 0) return 0
  for (let bucket = 31; bucket > 0; bucket--) {
    above -= statistics.histogram[bucket] ?? 0
    if (above <= 0) return 2 ** bucket
  }
  return 1
}

function blend(old: number, seen: number): number {
  return old + (seen - old) * WEIGHT
}

/** Halving keeps the distribution and forgets old traffic; the margin returns to its start slowly. */
function fade(statistics: ModelStatistics): void {
  statistics.samples = 0
  statistics.histogram.forEach((count, bucket) => {
    statistics.histogram[bucket] = count >> 1
    statistics.samples += count >> 1
  })
  statistics.margin = Math.max(START_MARGIN, statistics.margin * 0.9)
}
