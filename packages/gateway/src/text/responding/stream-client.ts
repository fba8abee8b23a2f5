// The client's side of a stream: writes with backpressure and heartbeats, and what a disconnect means.

import type { Sink } from '@trivium/http/response.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { FreeAborts } from '../../paid-call/free-aborts.ts'
import { DRAIN_MS } from '../../paid-call/run.ts'
import type { StreamTiming } from '../../paid-call/stream-timing.ts'
import { unlessAborted } from '../../upstreams/upstream-call.ts'
import type { TextCall } from '../text-call.ts'
import type { MeteredStream } from './metered-stream.ts'

export type StreamClientDependencies = { freeAborts: Pick<FreeAborts, 'mustDrain'>; ticker: Pick<Ticker, 'now'> }

type Call = Pick<TextCall, 'client' | 'caller' | 'upstreamCall'>

export class StreamClient {
  /** The client disconnected before the stream was over. */
  isGone = false
  /** Metered output at the disconnect, if the usage is awaited: what comes later was not delivered. */
  deliveredBytes: number | undefined
  /** Nothing more is read from the upstream. */
  isOver = false
  readonly #call: Call
  readonly #timing: StreamTiming
  readonly #deps: StreamClientDependencies
  #sink: Sink | undefined
  #isBlocked = false
  #lastWriteAt = 0

  constructor(call: Call, timing: StreamTiming, deps: StreamClientDependencies) {
    this.#call = call
    this.#timing = timing
    this.#deps = deps
  }

  /** From here on a disconnect is judged by what the stream has brought. */
  watch(stream: MeteredStream): void {
    const { client } = this.#call
    const disconnected = () => this.#disconnected(stream)
    client.onDisconnect = disconnected
    if (client.isDisconnected) disconnected()
  }

  /**
   * What the client has got is charged, and reasoning that it did not see: the usage of both is awaited, but not for long. A
   * client that presses Stop does not pay for the rest of the response.
   */
  #disconnected({ state }: MeteredStream): void {
    if (this.isGone || this.isOver) return
    this.isGone = true
    const { upstreamCall, caller } = this.#call
    if (!state.finish && this.#deps.freeAborts.mustDrain(caller.account))
      upstreamCall.endWithin(DRAIN_MS, 'client_disconnected')
    else if (!state.finish && !state.sawOutput) upstreamCall.abort('client_disconnected')
    else {
      this.deliveredBytes = state.outputBytes
      upstreamCall.endWithin(this.#timing.usageWaitMs, 'client_disconnected')
    }
  }

  /** The response has begun. `heartbeat` is written whenever nothing else was for a while. */
  open(sink: Sink, heartbeat: () => Uint8Array): void {
    this.#sink = sink
    this.#lastWriteAt = this.#deps.ticker.now()
    this.#call.upstreamCall.onTick = (now) => {
      const isDue = now - this.#lastWriteAt >= this.#timing.heartbeatMs
      if (isDue && !this.#isBlocked) this.write(heartbeat())
    }
  }

  /** A promise: the client does not read on yet. */
  write(bytes: Uint8Array): undefined | Promise<unknown> {
    if (bytes.length === 0 || this.isGone || !this.#sink) return undefined
    this.#lastWriteAt = this.#deps.ticker.now()
    return this.#sink.write(bytes)
  }

  /** Waits until the client reads on, or the call ends for another reason: a stalled reader keeps nothing open. */
  async drained(written: Promise<unknown>): Promise<void> {
    this.#isBlocked = true
    await unlessAborted(this.#call.upstreamCall, written)
    this.#isBlocked = false
  }
}
