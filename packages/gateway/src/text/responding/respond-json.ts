// The unstreamed response: read whole, metered, settled, then passed on to the client.

import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import type { PassThroughReply } from '@trivium/protocol/dialects/pass-through.ts'
import { cancelOnDisconnect, DRAIN_MS } from '../../paid-call/run.ts'
import { jsonResponse } from '../../paid-call/writing/write-json.ts'
import type { FailedAttempt } from '../../routing/failed-attempt.ts'
import { failedByBreak, failedByError, failedByOther } from '../../routing/upstream-errors.ts'
import { nextAttempt } from '../candidates/next-attempt.ts'
import { keepReasoning } from '../reasoning/keep-reasoning.ts'
import { outcomeOfFinish, type Settle } from '../settle.ts'
import { releaseRequest, type TextCall } from '../text-call.ts'
import { type CallDependencies, call } from './call.ts'

const REPLY_BYTES = 32 * 1024 * 1024

type Whole = Extract<PassThroughReply, { ok: true }>

export async function respondJson(
  textCall: TextCall,
  calling: Promise<UpstreamResponse>,
  settle: Settle,
  deps: CallDependencies,
): Promise<HttpResponse> {
  const { client } = textCall
  const { usage, finish, outputBytes, body: read } = await readReply(textCall, await calling, deps)
  releaseRequest(textCall)
  const outcome = client.isDisconnected ? 'client_disconnected' : outcomeOfFinish(finish)
  const endedAt = textCall.firstOutputAt
  // Before the settlement: a response that was paid for can be continued.
  const body = textCall.keepResponse ? await textCall.keepResponse(read) : read
  const keeping = keepReasoning(textCall, deps)
  const observed = { outcome, usage, finish, outputBytes, sawOutput: true }
  const response = jsonResponse(textCall, body)
  await settle(observed, { body, endedAt })
  if (keeping) await keeping
  return response
}

/** One upstream after the other, until there is a response. */
export async function readReply(textCall: TextCall, first: UpstreamResponse, deps: CallDependencies): Promise<Whole> {
  for (let reply = first; ; reply = await call(textCall, deps)) {
    const { upstreamCall, client } = textCall
    // Until the headers came, a disconnect cancelled the call; from here on the upstream bills it.
    client.onDisconnect = () => upstreamCall.endWithin(DRAIN_MS, 'client_disconnected')
    if (client.isDisconnected) client.onDisconnect()
    let bytes: Uint8Array | undefined | 'broken'
    try {
      const reading = readAtMost(reply, REPLY_BYTES, upstreamCall)
      bytes = reading instanceof Promise ? await reading : reading
    } catch {
      bytes = 'broken'
    }
    const read = bytes === 'broken' ? failedByBreak(textCall) : replyIn(bytes, textCall, deps)
    if (!('failure' in read)) return read
    // A disconnect from here on comes before the headers of the next attempt.
    cancelOnDisconnect(textCall, deps)
    await nextAttempt(textCall, read, deps)
  }
}

/** `bytes`: undefined if there are too many. */
function replyIn(bytes: Uint8Array | undefined, textCall: TextCall, deps: CallDependencies): Whole | FailedAttempt {
  const read = bytes && textCall.attempt.answerer.readReply(withoutByteOrderMark(bytes))
  textCall.firstOutputAt = performance.now()
  if (!read) return failedByOther('The upstream sent a response that is too large.')
  return read.ok ? read : failedByError(textCall, read.error, deps)
}

/** Some services begin JSON with a byte order mark, which is no part of it. */
function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
