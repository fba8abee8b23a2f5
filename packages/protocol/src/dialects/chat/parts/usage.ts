// Figures of consumption: where services put them, and as this dialect writes them.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Answering } from '../../text-dialect.ts'
import type { WrittenUsage } from '../wire.ts'
import { chatUsage } from './passing-reply.ts'

/** In its own place, within the last choice (Moonshot), or within an extension (Groq). */
export function usageOfBody(body: Json): Usage | undefined {
  const own = chatUsage(body.usage)
  if (own !== undefined) return own
  if (Array.isArray(body.choices)) {
    for (let at = body.choices.length - 1; at >= 0; at--) {
      const choice: unknown = body.choices[at]
      const inner = isObject(choice) && isObject(choice.usage) ? chatUsage(choice.usage) : undefined
      if (inner !== undefined) return inner
    }
  }
  return isObject(body.x_groq) ? chatUsage(body.x_groq.usage) : undefined
}

/** What the upstream did not report is what the books will count. */
export function writtenUsage(usage: Usage | undefined, outputBytes: number, { estimate }: Answering): WrittenUsage {
  const isKnown = usage?.input !== undefined && usage.output !== undefined
  const counted = isKnown ? { input: 0, output: 0 } : estimate(outputBytes)
  const input = usage?.input ?? counted.input
  const output = usage?.output ?? counted.output
  const cacheWrite = usage?.cacheWrite
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: {
      cached_tokens: usage?.cachedInput ?? 0,
      ...(cacheWrite === undefined ? {} : { cache_write_tokens: cacheWrite }),
    },
    completion_tokens_details: { reasoning_tokens: usage?.reasoning ?? 0 },
  }
}
