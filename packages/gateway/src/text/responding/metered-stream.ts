// The stream of one attempt: what the upstream sends is metered, and passed on as far as the hold covers it.

import type { TakePiece, UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { UpstreamCall } from '../../upstreams/upstream-call.ts'
import type { Answerer, StreamMeter } from '../translation/outbound.ts'
import { pieceWithin } from './split-chunk.ts'
import type { StreamBudget } from './stream-budget.ts'

export type UpstreamBody = Pick<UpstreamResponse, 'read' | 'readWhile' | 'cancel'>

/** Behind the last event the connection ends by itself within this time, and can be used again; else it is closed. */
const END_WITHIN_MS = 1_000

export class MeteredStream {
  readonly budget: StreamBudget
  readonly meter: StreamMeter
  /** The last frames, once they are known to be the last: they leave after the settlement. */
  tail: Uint8Array | undefined
  /** Once nothing is missing but the end of the connection, the stream is over. */
  endsWhenWhole = false
  readonly #body: UpstreamBody
  /** What was read and waits until the hold covers it. */
  #rest: Uint8Array | undefined
  /** The budget's, as it was read last: it only grows, and most pieces are within. */
  #coveredTo = 0

  constructor(answerer: Pick<Answerer, 'openMeter'>, budget: StreamBudget, body: UpstreamBody) {
    this.meter = answerer.openMeter()
    this.budget = budget
    this.#body = body
  }

  get state(): StreamMeter['state'] {
    return this.meter.state
  }

  /** undefined: the upstream has ended. */
  read(): ReturnType<UpstreamBody['read']> {
    return this.#isOver() ? undefined : (this.#rest ?? this.#body.read())
  }

  /** Gives pieces to `take` as they arrive, until it returns false. False: the upstream has ended. */
  async readWhile(take: TakePiece): Promise<boolean> {
    if (this.#isOver()) return false
    const rest = this.#rest
    if (rest && !take(rest)) return true
    if (this.#body.readWhile) return await this.#body.readWhile(take)
    for (let piece = await this.#body.read(); piece; piece = await this.#body.read()) if (!take(piece)) return true
    return false
  }

  #isOver(): boolean {
    return this.endsWhenWhole && this.meter.isWhole?.() === true
  }

  /** Part of what was read waits until the hold covers it. */
  get hasRest(): boolean {
    return this.#rest !== undefined
  }

  /** Gives the client's bytes for as much of the piece as the hold covers, at least a line; the rest is read again. */
  push(bytes: Uint8Array): Uint8Array {
    const { meter } = this
    this.#rest = undefined
    if (bytes.length <= this.#coveredTo - meter.state.outputBytes) return meter.push(bytes)
    this.#coveredTo = this.budget.coveredTo
    const piece = pieceWithin(bytes, this.#coveredTo - meter.state.outputBytes)
    if (piece.length < bytes.length) this.#rest = bytes.subarray(piece.length)
    return meter.push(piece)
  }

  cancel(): void {
    this.#body.cancel()
  }

  /** After the last event: the connection is kept if it ends soon. */
  release(upstreamCall: Pick<UpstreamCall, 'cancel'>): void {
    const more = this.#readLast()
    if (!(more instanceof Promise)) {
      if (more) upstreamCall.cancel()
      return
    }
    const timer = setTimeout(() => upstreamCall.cancel(), END_WITHIN_MS)
    const over = () => clearTimeout(timer)
    more.then((piece) => (piece ? upstreamCall.cancel() : over()), over)
  }

  /** A break here takes nothing from the response. */
  #readLast(): ReturnType<UpstreamBody['read']> {
    try {
      return this.#body.read()
    } catch {
      return undefined
    }
  }
}
