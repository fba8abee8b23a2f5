// STAND-IN
import type { Stop } from '../../../canonical/finish.ts'
import { isObject } from '../../../canonical/reading.ts'
import { readCount, type Usage, usageOf } from '../../../canonical/usage.ts'

export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const sum = (one: unknown, other: unknown) => {
    const a = readCount(one)
    const b = readCount(other)
    if (a === 'absurd' || b === 'absurd') return 'absurd' as const
    return a === undefined ? b : a + (b ?? 0)
  }
  const usage = usageOf({
    input: sum(value.promptTokenCount, value.toolUsePromptTokenCount),
    output: sum(value.candidatesTokenCount, value.thoughtsTokenCount),
    cachedInput: readCount(value.cachedContentTokenCount),
    cacheWrite: undefined,
    reasoning: readCount(value.thoughtsTokenCount),
  })
  return usage.input === undefined && usage.output === undefined && !usage.absurd ? undefined : usage
}

export function readStop(raw: string, called: boolean): Stop {
  if (raw === 'STOP') return { raw, reason: called ? 'tool' : 'end' }
  if (raw === 'MAX_TOKENS') return { raw, reason: 'length' }
  return { raw, reason: raw === 'OTHER' ? 'other' : 'filter' }
}
