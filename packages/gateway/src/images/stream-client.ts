// The client's side of a stream of images: whole events with backpressure, and heartbeats between them.

import type { Sink } from '@trivium/http/response.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { StreamTiming } from '../paid-call/stream-timing.ts'
import { unlessAborted } from '../paid-call/upstream-call.ts'
import type { ImageCall } from './image-call.ts'

export type StreamClientDependencies = { ticker: Pick<Ticker, 'now'>; streamTiming: Pick<StreamTiming, 'heartbeatMs'> }

export class ImageStreamClient {
  /** Resolves when there is something to send. */
  readonly started: Promise<void>
  readonly #start: () => void
  readonly #opened: Promise<Sink>
  readonly #open: (sink: Sink) => void
  readonly #call: Pick<ImageCall, 'upstreamCall' | 'client'>
  readonly #heartbeat: Uint8Array
  readonly #deps: StreamClientDependencies
  #hasStarted = false
  #isWriting = false
  #lastWriteAt = 0

  constructor(call: Pick<ImageCall, 'upstreamCall' | 'client'>, heartbeat: Uint8Array, deps: StreamClientDependencies) {
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const { promise: opened, resolve: open } = Promise.withResolvers<Sink>()
    this.started = started
    this.#start = start
    this.#opened = opened
    this.#open = open
    this.#call = call
    this.#heartbeat = heartbeat
    this.#deps = deps
  }

  /** The response has begun. Without a first byte the client would not even get the headers. */
  open(sink: Sink): void {
    const { ticker, streamTiming } = this.#deps
    this.#lastWriteAt = ticker.now()
    if (!this.#hasStarted) sink.write(this.#heartbeat)
    this.#call.upstreamCall.onTick = (now) => {
      if (this.#isWriting || now - this.#lastWriteAt < streamTiming.heartbeatMs) return
      this.#lastWriteAt = now
      if (!this.#call.client.isDisconnected) sink.write(this.#heartbeat)
    }
    this.#open(sink)
  }

  /** One event. Waits until the client reads on, or the call ends for another reason. */
  async write(event: Pieces): Promise<void> {
    if (event.length === 0) return
    this.#hasStarted = true
    this.#start()
    const sink = await this.#opened
    this.#isWriting = true
    for (const piece of event) {
      const blocked = this.#call.client.isDisconnected ? undefined : sink.write(piece)
      if (blocked) await unlessAborted(this.#call.upstreamCall, blocked)
    }
    this.#isWriting = false
    this.#lastWriteAt = this.#deps.ticker.now()
  }

  /** No heartbeat follows. */
  close(): void {
    this.#call.upstreamCall.onTick = undefined
  }
}
