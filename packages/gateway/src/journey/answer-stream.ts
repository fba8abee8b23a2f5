// The streamed answer: bytes go to the client as they come, metered on the way; the last frames wait for the settlement.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { readAtMost } from '../http/read.ts'
import type { Units } from '../money/price.ts'
import { cutOff, failureOfAbort, failureOfUpstream } from './call.ts'
import type { Meter } from './dialect.ts'
import { conclude, type Exchange, endingOfBreak, endingOfFinish, NOTHING_SEEN } from './exchange.ts'
import { openPurse } from './extend.ts'
import { Failure } from './failure.ts'
import { formatRequestId } from './ids.ts'
import type { Ending } from './settle.ts'

/** Until then an error can still be a real status, and the client knows nothing of a slow start. */
const COMMIT_AFTER_MS = 10_000
const HEARTBEAT_MS = 10_000
/** Usage follows the finish reason closely; it is worth waiting for even when nobody listens any more. */
const USAGE_WAIT_MS = 2_000
const DRAIN_MS = 120_000
const LET_GO_MS = 1_000
const NOT_A_STREAM_BYTES = 1024 * 1024

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>
type Sink = ReadableStreamDirectController

export async function answerStream(exchange: Exchange, reply: Response): Promise<Response> {
  const { quote, dialect, request } = exchange
  if (!reply.body || !isEventStream(reply)) return await refuseOther(exchange, reply)
  const renameTo = quote.candidate.route.model === quote.offer.model.id ? undefined : quote.offer.model.id
  const meter = dialect.openMeter({ showUsage: request.showUsage, renameTo })
  const stream = openStream(exchange, reply.body.getReader(), meter)
  const failure = await orNothingAfter(COMMIT_AFTER_MS, stream.peek())
  if (failure) throw failure
  const headers = { ...exchange.headers, 'content-type': 'text/event-stream' }
  return new Response(stream.body, { headers })
}

function orNothingAfter<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function isEventStream(reply: Response): boolean {
  return (reply.headers.get('content-type') ?? '').startsWith('text/event-stream')
}

/** A 200 that is no stream: an error in JSON, a proxy's page. None of it is an answer. */
async function refuseOther(exchange: Exchange, reply: Response): Promise<never> {
  const bytes = await readAtMost(reply, NOT_A_STREAM_BYTES).catch(() => undefined)
  await conclude(exchange, exchange.watch.reason ? endingOfBreak(exchange.watch) : 'failed', NOTHING_SEEN)
  const read = bytes ? exchange.dialect.readReply(bytes, undefined) : undefined
  if (read && !read.ok) throw failureOfUpstream(read.error)
  throw new Failure('upstream_failed', 'The upstream did not answer with a stream.')
}

function openStream(exchange: Exchange, reader: Reader, meter: Meter) {
  const { parts, quote, dialect, watch, client } = exchange
  const { state } = meter
  const purse = openPurse(exchange)
  let early: Uint8Array[] = []
  let sink: Sink | undefined
  let over = false
  let gone = false
  let started = false
  let lastWriteAt = 0
  let peeking: Promise<Failure | undefined> | undefined

  /** The client left. What the upstream has produced is charged; whether it may go on depends on what was seen. */
  function leave(): void {
    if (gone || over) return
    gone = true
    if (state.finish) watch.within(USAGE_WAIT_MS, 'client_gone')
    else if (parts.aborts.mustDrain(quote.caller.account)) watch.within(DRAIN_MS, 'client_gone')
    else watch.abort('client_gone')
    // A client that left before the body was asked for: nobody else would bring this to its end.
    if (!started) setTimeout(() => start(undefined).catch(() => {}), 0)
  }

  /** Reads up to the first real output. Resolves with a failure that can still be a real status, else with nothing. */
  async function peek(): Promise<Failure | undefined> {
    exchange.onClientGone = leave
    if (client.aborted) leave()
    try {
      while (!state.sawOutput && !state.done && !state.error) {
        const { done, value } = await reader.read()
        if (done) break
        watch.byteArrived()
        const bytes = meter.push(value)
        if (bytes.length > 0) early.push(bytes)
      }
    } catch {
      return await failEarly(watch.reason ? failureOfAbort(watch.reason) : cutOff(), endingOfBreak(watch))
    }
    if (state.error) return await failEarly(failureOfUpstream(state.error), 'failed')
    if (!state.sawOutput && !state.done && !state.finish) return await failEarly(cutOff(), 'cut')
    exchange.firstTokenAt = performance.now()
    return undefined
  }

  async function failEarly(failure: Failure, ending: Ending): Promise<Failure> {
    over = true
    watch.cancel()
    await conclude(exchange, ending, state)
    return failure
  }

  function write(bytes: Uint8Array): undefined | Promise<unknown> {
    if (bytes.length === 0 || gone || !sink) return undefined
    lastWriteAt = parts.ticker.now()
    const written = sink.write(bytes) as number | Promise<number>
    sink.flush()
    return typeof written === 'number' ? undefined : written
  }

  async function untilDrained(blocked: Promise<unknown>): Promise<void> {
    watch.clientBlocks(true)
    await blocked
    watch.clientBlocks(false)
  }

  /** Relays to the end of the upstream's stream, whatever that is; says which it was. */
  async function relay(): Promise<Ending> {
    for (const bytes of early) {
      const blocked = write(bytes)
      if (blocked) await untilDrained(blocked)
    }
    early = []
    try {
      while (!state.done && !state.error) {
        const { done, value } = await reader.read()
        if (done) break
        watch.byteArrived()
        const blocked = write(meter.push(value))
        if (blocked) await untilDrained(blocked)
        if (state.outputBytes >= purse.nextAt && !(await purse.goOn(state.outputBytes))) return 'stopped_by_balance'
      }
    } catch {
      return endingOfBreak(watch)
    }
    if (state.error) return 'failed'
    if (!state.finish && !state.done) return 'cut'
    return gone ? 'client_gone' : endingOfFinish(state.finish)
  }

  /** The last bytes of the answer, which leave only after the settlement stands. */
  function lastBytes(ending: Ending, units: Units): Uint8Array {
    if (ending === 'stopped_by_balance') return meter.stop(units)
    if (ending === 'failed') return errorBytes(state.error ? failureOfUpstream(state.error).info : cutOff().info)
    if (ending === 'cut') return errorBytes(cutOff().info)
    if (ending === 'timeout' || ending === 'shutdown') return errorBytes(failureOfAbort(ending).info)
    return meter.end()
  }

  function errorBytes(info: ErrorInfo): Uint8Array {
    return Buffer.from(DIALECTS[dialect.id].encodeStreamError(info, formatRequestId(quote.id)))
  }

  /** After the last event the connection ends by itself and can be used again; one that does not is closed. */
  function letGo(): void {
    const timer = setTimeout(watch.cancel, LET_GO_MS)
    const over = () => clearTimeout(timer)
    reader.read().then(({ done }) => (done ? over() : watch.cancel()), over)
  }

  async function run(): Promise<void> {
    lastWriteAt = parts.ticker.now()
    watch.onTick = (now) => {
      if (now - lastWriteAt >= HEARTBEAT_MS) write(dialect.heartbeat)
    }
    const failure = await peekOnce()
    if (failure) {
      // The 200 is out already: the failure can only be the stream's own error ending.
      write(errorBytes(failure.info))
      return
    }
    const ending = await relay()
    over = true
    if (state.done) letGo()
    else watch.cancel()
    const charge = await conclude(exchange, ending, state)
    const blocked = write(lastBytes(ending, charge.units))
    if (blocked) await blocked
  }

  async function start(controller: Sink | undefined): Promise<void> {
    if (started) return
    started = true
    sink = controller
    try {
      await run()
    } catch (error) {
      parts.log.error('stream failed', { request: formatRequestId(quote.id), error: String(error) })
      throw error
    } finally {
      exchange.release()
    }
  }

  function peekOnce(): Promise<Failure | undefined> {
    peeking ??= peek()
    return peeking
  }

  const body = new ReadableStream({
    type: 'direct',
    async pull(controller: Sink) {
      // A throw in here breaks the connection, as it must: a clean end would pass for success.
      await start(controller)
      controller.close()
    },
    cancel: leave,
  })
  return { peek: peekOnce, body }
}
