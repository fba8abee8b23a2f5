// The unstreamed answer: read whole, metered, settled, then handed to the client.

import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { PassThroughReply } from '@trivium/protocol/dialects/text-dialect.ts'
import {
  cancelOnDisconnect,
  conclude,
  DRAIN_MS,
  type Exchange,
  endingOfFinish,
  releaseRequest,
} from '../../paid-call/exchange.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { nextAttempt } from '../routing/next-attempt.ts'
import { call, missOfBreak, missOfError, missOfOther, showWarnings } from './call.ts'

const REPLY_BYTES = 32 * 1024 * 1024

type Whole = Extract<PassThroughReply, { ok: true }>

/** Not a promise where all of the answer is there, as it mostly is: a turn of the loop costs more than reading it. */
export function readAnswer(exchange: Exchange, reply: UpstreamResponse): Whole | Promise<Whole> {
  const reading = readWhole(exchange, reply)
  return reading instanceof Promise || 'failure' in reading ? readOn(exchange, reading) : reading
}

/** One upstream after the other, until there is an answer. */
async function readOn(
  exchange: Exchange,
  first: Whole | FailedAttempt | Promise<Whole | FailedAttempt>,
): Promise<Whole> {
  let read = await first
  while ('failure' in read) {
    // Whoever leaves now leaves before the headers of the next one.
    cancelOnDisconnect(exchange)
    const reply = await call(exchange, await nextAttempt(exchange, read))
    read = await readWhole(exchange, reply)
  }
  return read
}

/** The last byte may leave when this resolves. */
export function concludeWhole(exchange: Exchange, { usage, finish, outputBytes, body }: Whole): Promise<unknown> {
  releaseRequest(exchange)
  const ending = exchange.client.isDisconnected ? 'client_gone' : endingOfFinish(finish)
  exchange.headers.set('content-type', 'application/json')
  // Once more: what the answer lost is known only now.
  showWarnings(exchange)
  const endedAt = exchange.firstTokenAt
  return conclude(exchange, ending, { usage, finish, outputBytes, sawOutput: true, body, endedAt })
}

function readWhole(
  exchange: Exchange,
  reply: UpstreamResponse,
): Whole | FailedAttempt | Promise<Whole | FailedAttempt> {
  const { watch, client } = exchange
  // Until the headers came, leaving cancelled the call; from here on the upstream works for money.
  client.onDisconnect = () => watch.endWithin(DRAIN_MS, 'client_gone')
  if (client.isDisconnected) client.onDisconnect()
  let reading: ReturnType<typeof readAtMost>
  try {
    reading = readAtMost(reply, REPLY_BYTES, watch)
  } catch {
    return missOfBreak(exchange)
  }
  return reading instanceof Promise ? readLater(exchange, reading) : readBody(exchange, reading)
}

async function readLater(exchange: Exchange, reading: Promise<Uint8Array | undefined>): Promise<Whole | FailedAttempt> {
  let bytes: Uint8Array | undefined
  try {
    bytes = await reading
  } catch {
    return missOfBreak(exchange)
  }
  return readBody(exchange, bytes)
}

/** `bytes`: undefined where there were too many. */
function readBody(exchange: Exchange, bytes: Uint8Array | undefined): Whole | FailedAttempt {
  const read = bytes && exchange.answerer.readReply(withoutMark(bytes))
  exchange.firstTokenAt = performance.now()
  if (!read) return missOfOther('The upstream sent an answer that is too large.')
  return read.ok ? read : missOfError(exchange, read.error)
}

/** Some services begin JSON with a byte order mark, which is none of it. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}
