// What a reply consumed, in the same terms for every dialect.

/** Token figures as the upstream reported them. `undefined` means unknown, which is never the same as zero. */
export type Usage = {
  /** All input, including what came from a cache. */
  input: number | undefined
  /** All output, including reasoning. */
  output: number | undefined
  /** The part of the input that was read from a cache. */
  cachedInput: number | undefined
  /** The part of the input that was written to a cache. */
  cacheWrite: number | undefined
  /** The part of the output that was reasoning. */
  reasoning: number | undefined
  /** The part of `cacheWrite` that was written to last an hour. */
  cacheWriteLong?: number | undefined
  /** Parts of the input, and the part of `cachedInput` that is audio. */
  audioInput?: number | undefined
  imageInput?: number | undefined
  cachedAudioInput?: number | undefined
  /** Parts of the output. */
  audioOutput?: number | undefined
  imageOutput?: number | undefined
  /** Calls of tools that the vendor runs and bills by the call, by the gateway's names for them (`web_search`). */
  toolCalls?: Readonly<Record<string, number>> | undefined
  /** The service tier that the answer was served at, in the vendor's word. */
  tier?: string | undefined
  /** What the upstream says that the operator pays for this, in USD, as decimal text. */
  upstreamCost?: string | undefined
  /** Some figure could not be true (negative, fractional, not a number, too large, a part above its whole) and was left out. */
  absurd: boolean
}

/** No reply has this many tokens; beyond it a figure is a fault, and must not reach a price. */
export const MAX_TOKENS_REPORTED = 1e12

/** One reported figure: a count, unknown, or nonsense. */
export function readCount(value: unknown): number | undefined | 'absurd' {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value)) return 'absurd'
  return value < 0 || value > MAX_TOKENS_REPORTED ? 'absurd' : value
}

type Plain = 'input' | 'output' | 'cachedInput' | 'cacheWrite' | 'reasoning'
type Reported = { [Part in Plain]: number | undefined | 'absurd' }

/** Puts figures together and sees to it that no part exceeds its whole, or a price could become negative. */
export function usageOf(reported: Reported): Usage {
  let absurd = false
  const count = (figure: number | undefined | 'absurd'): number | undefined => {
    if (figure !== 'absurd') return figure
    absurd = true
    return undefined
  }
  const within = (part: number | undefined, whole: number | undefined): number | undefined => {
    if (part === undefined || whole === undefined || part <= whole) return part
    absurd = true
    return whole
  }
  const input = count(reported.input)
  const output = count(reported.output)
  const cachedInput = within(count(reported.cachedInput), input)
  const uncached = input === undefined ? undefined : input - (cachedInput ?? 0)
  const cacheWrite = within(count(reported.cacheWrite), uncached)
  const reasoning = within(count(reported.reasoning), output)
  return { input, output, cachedInput, cacheWrite, reasoning, absurd }
}

/** What two reports of the same answer say together: the later one wins where it says something. */
export function mergeUsage(earlier: Usage | undefined, later: Usage): Usage {
  if (earlier === undefined) return later
  const merged = usageOf({
    input: later.input ?? earlier.input,
    output: later.output ?? earlier.output,
    cachedInput: later.cachedInput ?? earlier.cachedInput,
    cacheWrite: later.cacheWrite ?? earlier.cacheWrite,
    reasoning: later.reasoning ?? earlier.reasoning,
  })
  return { ...merged, absurd: merged.absurd || earlier.absurd || later.absurd }
}
