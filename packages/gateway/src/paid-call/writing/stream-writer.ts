// Writes a stream to its client: with backpressure, and with heartbeats while there is nothing else to write.

import type { Sink } from '@trivium/http/response.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import { unlessAborted } from '../../upstreams/upstream-call.ts'
import type { PaidRequest } from '../paid-request.ts'
import type { StreamTiming } from './stream-timing.ts'

export type StreamWriterDependencies = {
  ticker: Pick<Ticker, 'now'>
  streamTiming: Pick<StreamTiming, 'heartbeatMs'>
}

export class StreamWriter {
  readonly #call: Pick<PaidRequest, 'client' | 'upstreamCall'>
  readonly #deps: StreamWriterDependencies
  #sink: Sink | undefined
  #isBlocked = false
  #lastWriteAt = 0

  constructor(call: Pick<PaidRequest, 'client' | 'upstreamCall'>, deps: StreamWriterDependencies) {
    this.#call = call
    this.#deps = deps
  }

  /**
   * The response has begun. `heartbeat` is written whenever nothing else was for a while, and at once if there is no output yet:
   * without a first byte the client would not even get the headers.
   */
  open(sink: Sink, heartbeat: () => Uint8Array, hasOutput = true): void {
    const { ticker, streamTiming } = this.#deps
    this.#sink = sink
    this.#lastWriteAt = ticker.now()
    if (!hasOutput) this.write(heartbeat())
    this.#call.upstreamCall.onTick = (now) => {
      const isDue = now - this.#lastWriteAt >= streamTiming.heartbeatMs
      if (isDue && !this.#isBlocked) this.write(heartbeat())
    }
  }

  /** A promise: the client does not read on yet. */
  write(bytes: Uint8Array): undefined | Promise<unknown> {
    if (bytes.length === 0 || !this.#sink || this.#call.client.isDisconnected) return undefined
    this.#lastWriteAt = this.#deps.ticker.now()
    return this.#sink.write(bytes)
  }

  /** Waits until the client reads on, or the call ends for another reason: a stalled reader keeps nothing open. */
  async drained(written: Promise<unknown>): Promise<void> {
    this.#isBlocked = true
    await unlessAborted(this.#call.upstreamCall, written)
    this.#isBlocked = false
  }

  /** Nothing follows, no heartbeat either. */
  close(): void {
    this.#call.upstreamCall.onTick = undefined
  }
}
