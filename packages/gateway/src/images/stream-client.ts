// The client's side of a stream of images: whole events with backpressure, and heartbeats between them.

import type { Sink } from '@trivium/http/response.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { UnsentResponse, UnsentResponses } from '../overload/unsent-responses.ts'
import type { StreamTiming } from '../paid-call/stream-timing.ts'
import { unlessAborted } from '../upstreams/upstream-call.ts'
import type { ImageCall } from './image-call.ts'

export type StreamClientDependencies = {
  ticker: Pick<Ticker, 'now'>
  streamTiming: Pick<StreamTiming, 'heartbeatMs'>
  unsentResponses: UnsentResponses
}

type Call = Pick<ImageCall, 'upstreamCall' | 'client' | 'slot' | 'caller'>

export class ImageStreamClient {
  /** Resolves when there is something to send. */
  readonly started: Promise<void>
  readonly #start: () => void
  readonly #opened: Promise<Sink>
  readonly #open: (sink: Sink) => void
  readonly #call: Call
  readonly #heartbeat: Uint8Array
  readonly #deps: StreamClientDependencies
  #hasStarted = false
  #isWriting = false
  #lastWriteAt = 0
  /** Of the response so far, for repeated requests. */
  keptBytes = 0
  #unsent: UnsentResponse | undefined
  /** The weight of the request while it does not wait for the client. */
  #weight: number | undefined

  constructor(call: Call, heartbeat: Uint8Array, deps: StreamClientDependencies) {
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
    this.#unsent = this.#deps.unsentResponses.open(this.#call.caller.account, () => sink.abort?.())
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
    await this.#send(event, (blocked) => unlessAborted(this.#call.upstreamCall, blocked))
  }

  /** The last event, after settlement. */
  async writeLast(event: Pieces): Promise<void> {
    this.keptBytes = 0
    await this.#send(event, (blocked) => blocked)
  }

  async #send(event: Pieces, drained: (blocked: Promise<unknown>) => Promise<unknown>): Promise<void> {
    if (event.length === 0) return
    this.#hasStarted = true
    this.#start()
    const sink = await this.#opened
    this.#isWriting = true
    let left = lengthOf(event)
    for (const piece of event) {
      const blocked = this.#call.client.isDisconnected ? undefined : sink.write(piece)
      if (blocked) {
        this.#waitFor(left)
        await drained(blocked)
      }
      left -= piece.length
    }
    this.#resume()
    this.#isWriting = false
    this.#lastWriteAt = this.#deps.ticker.now()
  }

  /** While the client is waited for, what waits is weighed apart from running requests, which it must not hinder. */
  #waitFor(bytes: number): void {
    const { slot } = this.#call
    this.#weight ??= slot.weight
    slot.resize(0)
    this.#unsent?.weigh(bytes + this.keptBytes)
  }

  #resume(): void {
    if (this.#weight === undefined) return
    this.#call.slot.resize(this.#weight)
    this.#weight = undefined
    this.#unsent?.weigh(0)
  }

  /** Nothing follows, no heartbeat either. */
  close(): void {
    this.#call.upstreamCall.onTick = undefined
    this.#unsent?.end()
  }
}

export const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0)
