// The streamed answer: bytes go to the client as they come, metered on the way; the last frames wait for the settlement.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { HttpResponse, Sink, StreamedBody } from '@trivium/http/response.ts'
import { withTimeout } from '@trivium/http/ticker.ts'
import { Failure } from '../../access/failure.ts'
import { formatRequestId } from '../../access/ids.ts'
import { totalsOf, type Units } from '../../money/prices/token-units.ts'
import {
  conclude,
  DRAIN_MS,
  type Exchange,
  endingOfBreak,
  endingOfFinish,
  releaseRequest,
} from '../../paid-call/exchange.ts'
import type { Ending } from '../../paid-call/settle.ts'
import { unlessAborted } from '../../paid-call/upstream-call.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { nextAttempt } from '../routing/next-attempt.ts'
import { call, cutOff, failureOfAbort, failureOfUpstream, missOfBreak, missOfError, showWarnings } from './call.ts'
import { isEventStream, missOfNoStream } from './not-a-stream.ts'
import { type Body, releaseUpstream } from './release-body.ts'
import { pieceWithin } from './split-chunk.ts'
import { openStreamBudget } from './stream-budget.ts'

export type StreamTiming = {
  /** Until then an error can still be a real status, and the client knows nothing of a slow start. */
  commitAfterMs: number
  heartbeatMs: number
  /** After a client that has got output disconnects: for so long its usage is worth waiting for, hidden reasoning included. */
  usageWaitMs: number
  /** When nothing is missing but the end of the connection. */
  endWaitMs?: number
}

const PACE: StreamTiming = { commitAfterMs: 10_000, heartbeatMs: 10_000, usageWaitMs: 5_000, endWaitMs: 2_000 }
/** So much of what is not output (comments, events of a vendor's own) may come before the first output, and is kept. */
const EARLY_BYTES = 64 * 1024

/** `calling` is the call to the upstream, still on its way: a slow one must not keep the client without a sign of life. */
export async function answerStream(
  exchange: Exchange,
  calling: Promise<UpstreamResponse>,
  pace = PACE,
): Promise<HttpResponse> {
  const stream = openStream(exchange, calling, pace)
  const failure = await withTimeout(exchange.parts.ticker, pace.commitAfterMs, stream.peek())
  if (failure) throw failure
  exchange.headers.set('content-type', exchange.answerer.streamType)
  return { status: 200, headers: exchange.headers, body: stream.body }
}

function openStream(exchange: Exchange, calling: Promise<UpstreamResponse>, pace: StreamTiming) {
  const { parts, quote, watch, client } = exchange
  let { answerer } = exchange
  let meter = answerer.openMeter()
  let { state } = meter
  let purse = openStreamBudget(exchange)
  let upstream: Body = NO_BODY
  /** What was read and waits until the hold covers it. */
  let rest: Uint8Array | undefined
  let early: Uint8Array[] = []
  let earlyBytes = 0
  /** The last frames, once they are known to be the last. */
  let tail: Uint8Array | undefined
  let sink: Sink | undefined
  /** The upstream has ended. */
  let ended = false
  let over = false
  let gone = false
  /** Metered output when the client disconnected, if the usage is awaited: what comes later was not delivered. */
  let deliveredBytes: number | undefined
  let blocked = false
  let lastWriteAt = 0
  let peeking: Promise<Failure | undefined> | undefined
  let peeked = false

  /**
   * The client disconnected. What it has got is charged, and reasoning that it did not see: for both the usage is awaited,
   * but not for long, since nobody who presses Stop shall pay for the rest of the answer.
   */
  function leave(): void {
    if (gone || over) return
    gone = true
    if (!state.finish && parts.freeAborts.mustDrain(quote.caller.account)) watch.endWithin(DRAIN_MS, 'client_gone')
    else if (!state.finish && !state.sawOutput) watch.abort('client_gone')
    else {
      deliveredBytes = state.outputBytes
      watch.endWithin(pace.usageWaitMs, 'client_gone')
    }
  }

  /** Up to the first real output. Resolves with a failure that can still be a real status, else with nothing. */
  async function peek(): Promise<Failure | undefined> {
    const failure = await readEarly()
    peeked = true
    if (failure) {
      over = true
      watch.cancel()
      exchange.place.release()
    }
    return failure
  }

  /** One upstream after the other, until there is output. */
  async function readEarly(): Promise<Failure | undefined> {
    try {
      for (let reply = await calling; ; ) {
        // Somebody else than expected may have answered, or the same after a change.
        if (exchange.answerer !== answerer) begin()
        const miss = await readUntilOutput(reply)
        if (!miss) break
        upstream.cancel()
        const next = await nextAttempt(exchange, miss)
        showWarnings(exchange)
        reply = await call(exchange, next)
        begin()
      }
    } catch (error) {
      // The exchange has been concluded.
      if (error instanceof Failure) return error
      throw error
    }
    releaseRequest(exchange)
    exchange.firstTokenAt = performance.now()
    exchange.attempt.answered(parts.ticker.now(), exchange.firstTokenAt)
    return undefined
  }

  /** All that belongs to one attempt. */
  function begin(): void {
    answerer = exchange.answerer
    meter = answerer.openMeter()
    state = meter.state
    purse = openStreamBudget(exchange)
    upstream = NO_BODY
    rest = undefined
    tail = undefined
    early = []
    earlyBytes = 0
  }

  async function readUntilOutput(reply: UpstreamResponse): Promise<FailedAttempt | undefined> {
    exchange.place.resize(0)
    if (!isEventStream(reply)) return await missOfNoStream(exchange, reply)
    upstream = reply
    client.onDisconnect = leave
    if (client.isDisconnected) leave()
    try {
      while (!state.sawOutput && !state.done && !state.error && earlyBytes < EARLY_BYTES) {
        const piece = await next()
        if (!piece) {
          tail = meter.end()
          break
        }
        watch.received(piece)
        const bytes = meter.push(covered(piece))
        if (bytes.length > 0) early.push(bytes)
        earlyBytes += bytes.length
      }
    } catch {
      return missOfBreak(exchange)
    }
    const ended = tail !== undefined
    const hasBegun = state.sawOutput || state.done || state.finish || earlyBytes >= EARLY_BYTES
    if (!state.error && hasBegun) return undefined
    // Whatever came with the failure was not delivered: the client gets a status instead.
    if (!state.error || ended) return missOfBreak(exchange)
    // What is announced at the beginning, before anything was made, has no output in it and is no bill yet.
    const wasBilled = state.sawOutput || state.usage?.output !== undefined
    return missOfError(exchange, state.error, wasBilled)
  }

  function write(bytes: Uint8Array): undefined | Promise<unknown> {
    if (bytes.length === 0 || gone || !sink) return undefined
    lastWriteAt = parts.ticker.now()
    return sink.write(bytes)
  }

  /** Waits until the client reads on, or until the call has ended for another reason: a stalled reader holds nothing open. */
  async function untilDrained(written: Promise<unknown>): Promise<void> {
    blocked = true
    await unlessAborted(watch, written)
    blocked = false
  }

  /** A function of its own, so that nothing keeps the bytes while the client takes its time: the sink has its copy. */
  function pass(piece: Uint8Array | undefined): undefined | Promise<unknown> {
    ended = piece === undefined
    if (!piece) return undefined
    watch.received(piece)
    return write(meter.push(covered(piece)))
  }

  const next = (): ReturnType<Body['read']> => rest ?? upstream.read()

  /** As much of it as the hold covers, at least a line; the rest is left for later. */
  function covered(bytes: Uint8Array): Uint8Array {
    const piece = pieceWithin(bytes, purse.coveredTo - state.outputBytes)
    rest = piece.length < bytes.length ? bytes.subarray(piece.length) : undefined
    return piece
  }

  /** Relays to the end of the upstream's stream, whatever that is; says which it was. */
  async function relay(): Promise<Ending> {
    for (const bytes of early) {
      const written = write(bytes)
      if (written) await untilDrained(written)
    }
    early = []
    try {
      while (!state.done && !state.error && !ended) {
        if (deliveredBytes !== undefined) {
          // Nothing more is held for a client that is gone.
          if (state.outputBytes >= purse.coveredTo) return 'client_gone'
        } else if (state.outputBytes >= purse.nextAt) {
          const goesOn = purse.mayContinue(state.outputBytes)
          const mayGoOn = typeof goesOn === 'boolean' ? goesOn : await unlessAborted(watch, goesOn)
          if (watch.reason) return endingOfBreak(watch)
          if (!mayGoOn) return 'stopped_by_balance'
        }
        // Nothing is missing any more: all that is waited for is the end of the connection.
        if (meter.isWhole?.()) watch.endWithin(pace.endWaitMs ?? pace.usageWaitMs, 'timeout')
        const written = pass(await next())
        if (written) await untilDrained(written)
      }
    } catch {
      if (watch.reason === 'client_gone' || watch.reason === 'shutdown') return endingOfBreak(watch)
      // A break behind the last event takes nothing from an answer. And what was reported may be in the translation yet.
      const isWhole = meter.isWhole?.() === true
      tail = meter.end()
      if (!isWhole) return endingOfBreak(watch)
    }
    if (state.error) return 'failed'
    tail ??= meter.end()
    // Nothing more comes, so what the end itself brought to light is a break within an event.
    if (hasFailed() || (!state.finish && !state.done)) return 'cut'
    return gone ? 'client_gone' : endingOfFinish(state.finish)
  }

  /** The last bytes of the answer, which leave only after the settlement stands. */
  function lastBytes(ending: Ending, units: Units): Uint8Array {
    if (ending === 'stopped_by_balance') return meter.stop(totalsOf(units))
    if (ending === 'failed' && state.error) return meter.fail(failureOfUpstream(exchange, state.error).info)
    if (ending === 'failed' || ending === 'cut') return meter.fail(cutOff().info)
    if (ending === 'timeout' || ending === 'shutdown') return meter.fail(failureOfAbort(ending).info)
    return tail ?? NO_BYTES
  }

  const hasFailed = () => state.error !== undefined

  /** Gives the last bytes. */
  async function relayed(): Promise<Uint8Array> {
    lastWriteAt = parts.ticker.now()
    watch.onTick = (now) => {
      if (now - lastWriteAt >= pace.heartbeatMs && !blocked) write(answerer.heartbeat)
    }
    // Without a first byte the client would not even get the headers.
    if (!peeked) write(answerer.heartbeat)
    const failure = await peekOnce()
    if (failure) {
      // The 200 is out already: the failure can only be the stream's own error ending. What the meter has seen of the
      // answer was not delivered, so the ending is that of an answer which has not begun.
      return answerer.openMeter().fail(failure.info)
    }
    const ending = await relay()
    over = true
    if (state.done) releaseUpstream(upstream, watch)
    else watch.cancel()
    const { usage, finish, outputBytes, sawOutput } = state
    const charge = await conclude(exchange, ending, { usage, finish, outputBytes, deliveredBytes, sawOutput })
    return lastBytes(ending, charge.units)
  }

  async function run(to: Sink): Promise<Uint8Array> {
    sink = to
    try {
      return await relayed()
    } catch (error) {
      parts.log.error('stream failed', { request: formatRequestId(quote.id), error: String(error) })
      throw error
    } finally {
      exchange.place.release()
    }
  }

  function peekOnce(): Promise<Failure | undefined> {
    peeking ??= peek()
    return peeking
  }

  const body: StreamedBody = { run }
  return { peek: peekOnce, body }
}

const NO_BYTES = new Uint8Array(0)
const NO_BODY: Body = { read: () => undefined, cancel: () => {} }
