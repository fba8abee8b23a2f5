// Usage figures, correct or falsified by a fault.
import type { Quirks } from '../dialects/dialect.ts'
import type { Meter } from './produce.ts'

export type Figures = {
  prompt: unknown
  cached: unknown
  cacheWritten: unknown
  /** The prompt without what was read from the cache or written to it. */
  fresh: unknown
  completion: unknown
  reasoning: unknown
  /** The completion without reasoning. */
  visible: unknown
  total: unknown
}

export function figuresOf(meter: Meter, { usage }: Quirks): Figures {
  const bent = (figure: number): unknown => {
    if (usage === 'zero') return 0
    if (usage === 'negative') return -figure - 1
    if (usage === 'huge') return 1e300
    return usage === 'string' ? String(figure) : figure
  }
  const { promptTokens, cachedTokens, cacheWrittenTokens, completionTokens, reasoningTokens } = meter
  return {
    prompt: bent(promptTokens),
    cached: bent(cachedTokens),
    cacheWritten: bent(cacheWrittenTokens),
    fresh: bent(promptTokens - cachedTokens - cacheWrittenTokens),
    completion: bent(completionTokens),
    reasoning: bent(reasoningTokens),
    visible: bent(completionTokens - reasoningTokens),
    total: bent(promptTokens + completionTokens),
  }
}
