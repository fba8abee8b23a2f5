// The unstreamed response: read whole, metered, settled, then passed on to the client.

import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import type { PassThroughReply } from '@trivium/protocol/dialects/pass-through.ts'
import { cancelOnDisconnect, DRAIN_MS } from '../../paid-call/run.ts'
import { jsonResponse } from '../../paid-call/writing/write-json.ts'
import type { FailedAttempt } from '../../routing/failed-attempt.ts'
import { failedByBreak, failedByError, failedByOther } from '../../routing/upstream-errors.ts'
import { chargeTokens, outcomeOfFinish } from '../charge-tokens.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import { noteAnswer } from '../generation.ts'
import { keepReasoning } from '../reasoning/keep-reasoning.ts'
import { nextAttempt } from '../routing/next-attempt.ts'
import { releaseRequest, type TextCall } from '../text-call.ts'
import { callUpstream } from './call-upstream.ts'

const REPLY_BYTES = 32 * 1024 * 1024

type Whole = Extract<PassThroughReply, { ok: true }>

export async function respondJson(call: TextCall, deps: TextCallDependencies): Promise<HttpResponse> {
  const { client } = call
  const reading = readWhole(call, await callUpstream(call, deps), deps)
  const first = reading instanceof Promise ? await reading : reading
  const { usage, finish, outputBytes, body: read } = 'failure' in first ? await readNext(call, first, deps) : first
  releaseRequest(call)
  const outcome = client.isDisconnected ? 'client_disconnected' : outcomeOfFinish(finish)
  const endedAt = call.firstOutputAt
  const { keepResponse } = call.own
  // Before the settlement: a response that was paid for can be continued.
  const body = keepResponse ? await keepResponse(read) : read
  const keeping = keepReasoning(call, deps)
  const observed = { outcome, usage, finish, outputBytes, sawOutput: true }
  const response = jsonResponse(call, body)
  await chargeTokens(call, observed, deps, { body, endedAt })
  if (keeping) await keeping
  return response
}

/** One upstream after the other, until there is a response. */
export async function readReply(call: TextCall, deps: TextCallDependencies): Promise<Whole> {
  const read = await readWhole(call, await callUpstream(call, deps), deps)
  return 'failure' in read ? readNext(call, read, deps) : read
}

async function readNext(call: TextCall, failed: FailedAttempt, deps: TextCallDependencies): Promise<Whole> {
  // A disconnect from here on comes before the headers of the next attempt.
  cancelOnDisconnect(call, deps)
  await nextAttempt(call, failed, deps)
  return readReply(call, deps)
}

function readWhole(
  call: TextCall,
  reply: UpstreamResponse,
  deps: TextCallDependencies,
): Whole | FailedAttempt | Promise<Whole | FailedAttempt> {
  const { upstreamCall, client } = call
  // Until the headers came, a disconnect cancelled the call; from here on the upstream bills it.
  client.onDisconnect = () => upstreamCall.endWithin(DRAIN_MS, 'client_disconnected')
  if (client.isDisconnected) client.onDisconnect()
  let reading: ReturnType<typeof readAtMost>
  try {
    reading = readAtMost(reply, REPLY_BYTES, upstreamCall)
  } catch {
    return failedByBreak(call)
  }
  return reading instanceof Promise ? readLater(reading, call, deps) : replyIn(reading, call, deps)
}

const readLater = (
  reading: Promise<Uint8Array | undefined>,
  call: TextCall,
  deps: TextCallDependencies,
): Promise<Whole | FailedAttempt> =>
  reading.then(
    (bytes) => replyIn(bytes, call, deps),
    () => failedByBreak(call),
  )

/** `bytes`: undefined if there are too many. */
function replyIn(bytes: Uint8Array | undefined, textCall: TextCall, deps: TextCallDependencies): Whole | FailedAttempt {
  const read = bytes && textCall.attempt.answerer.readReply(withoutByteOrderMark(bytes))
  textCall.firstOutputAt = performance.now()
  if (!read) return failedByOther('The upstream sent a response that is too large.')
  if (!read.ok) return failedByError(textCall, read.error, deps)
  if (bytes && textCall.record.generation) noteAnswer(textCall.record.generation, withoutByteOrderMark(bytes))
  return read
}

/** Some services begin JSON with a byte order mark, which is no part of it. */
function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
