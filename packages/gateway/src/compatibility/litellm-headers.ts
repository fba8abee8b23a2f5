// What clients of LiteLLM read in the headers of a response: its cost, what the key has spent, and how long the gateway took.
import type { HttpResponse } from '@trivium/http/response.ts'
import { formatUsd } from '../money/amount.ts'
import type { RequestRecord } from '../observe/request-record.ts'
import type { Keys } from '../storage/storage.ts'

/** The cost of a stream is not known when its headers leave: its receipt has it. */
export async function showToLitellm(
  answer: HttpResponse,
  record: RequestRecord,
  keys: Pick<Keys, 'findWithAccount'>,
): Promise<HttpResponse> {
  const { headers, body } = answer
  headers.set('x-litellm-call-id', record.id)
  if (record.model === undefined || record.key === undefined) return answer
  headers.set('x-litellm-model-id', record.model)
  headers.set('x-litellm-model-group', record.model)
  headers.set('x-litellm-overhead-duration-ms', overheadOf(record).toFixed(3))
  if (body instanceof Uint8Array && record.charged !== undefined)
    headers.set('x-litellm-response-cost', formatUsd(record.charged))
  // A response that was paid for is delivered, also without these two.
  const standing = await keys.findWithAccount(record.key).catch(() => undefined)
  if (standing === undefined) return answer
  const { spentUnderCap, cap } = standing.key
  headers.set('x-litellm-key-spend', formatUsd(spentUnderCap))
  if (cap !== undefined) headers.set('x-litellm-key-max-budget', formatUsd(cap))
  return answer
}

/** What is not time of an upstream, in milliseconds. */
function overheadOf({ startedAt, attempts }: RequestRecord): number {
  const now = performance.now()
  const upstream = attempts.reduce((sum, attempt) => sum + (attempt.endedAt ?? now) - attempt.startedAt, 0)
  return Math.max(0, now - startedAt - upstream)
}
