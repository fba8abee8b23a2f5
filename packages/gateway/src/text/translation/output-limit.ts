// The largest output cap that an upstream accepts, read from its rejection of a cap that the gateway chose.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'

/** `isOfModel`: it holds for every request; otherwise only for one with as much input. */
export type OutputLimit = { cap: number; isOfModel: boolean }

const ABOUT_CAP = /max(?:imum)?[_ ](?:\w+[_ ])?tokens|output tokens|max_new_tokens/i

/** `sent`: the cap that was rejected. Undefined: the rejection names no smaller one. */
export function limitIn({ message }: ErrorInfo, sent: number): OutputLimit | undefined {
  const text = message.slice(0, LONGEST).replace(/(?<=\d)[,_](?=\d{3}(?!\d))/g, '')
  const limit = contextLimit(text, sent) ?? (ABOUT_CAP.test(text) ? modelLimit(text, sent) : undefined)
  return limit && Number.isInteger(limit.cap) && limit.cap >= 1 && limit.cap < sent ? limit : undefined
}

const LONGEST = 2_000

/** The context has no room for input and cap together. */
function contextLimit(text: string, sent: number): OutputLimit | undefined {
  // «190000 + 32000 > 200000», «(32000 > 8192 - 100)».
  const sum = /(\d+)\s*\+\s*(\d+)\s*>\s*(\d+)/.exec(text)
  if (sum) return { cap: Number(sum[3]) - Number(sum[1]), isOfModel: false }
  const rest = /\d+\s*>\s*(\d+)\s*-\s*(\d+)/.exec(text)
  if (rest) return { cap: Number(rest[1]) - Number(rest[2]), isOfModel: false }
  // «maximum context length is 8192 tokens. However, you requested 32100 tokens».
  const length = /context (?:length|window|limit|size)[^\d]{0,40}(\d+)/i.exec(text)
  if (!length) return undefined
  const requested = /requested (?:about )?(\d+)/i.exec(text)
  const input =
    /(\d+) (?:input tokens|tokens? (?:in|from) the (?:input|messages|prompt)|in the (?:messages|prompt|input))/i.exec(
      text,
    )
  const used = input ? Number(input[1]) : requested ? Number(requested[1]) - sent : Number.NaN
  return { cap: Number(length[1]) - used, isOfModel: false }
}

const MODEL_LIMITS: readonly RegExp[] = [
  // «max_tokens: 32000 > 8192, which is the maximum allowed», «the valid range of max_tokens is [1, 8192]».
  /\d+\s*>=?\s*(\d+)/,
  /[[(]\s*\d+\s*,\s*(\d+)\s*[\])]/,
  /between \d+ and (\d+)/i,
  /(?:less than or equal to|at most|up to|not exceed|<=|limit of|limit is|limited to|maximum (?:allowed )?(?:value )?(?:is|of)|supports?(?: only)?)[^\d]{0,40}(\d+)/i,
  /maximum[^\d]{0,80}?(\d+)/i,
]

function modelLimit(text: string, sent: number): OutputLimit | undefined {
  for (const pattern of MODEL_LIMITS) {
    const cap = Number(pattern.exec(text)?.[1])
    if (cap >= 1 && cap < sent) return { cap, isOfModel: true }
  }
  return undefined
}
