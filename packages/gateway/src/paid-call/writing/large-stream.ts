// Writes a stream of large events, such as images: the pieces of each with backpressure, and what waits for the client weighed.

import type { Sink } from '@trivium/http/response.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { UnsentResponse, UnsentResponses } from '../../overload/unsent-responses.ts'
import type { PaidCallDependencies, PaidRequest } from '../paid-request.ts'
import { StreamWriter } from './stream-writer.ts'

type Call = Pick<PaidRequest, 'upstreamCall' | 'client' | 'slot' | 'caller'>

export class LargeStreamWriter extends StreamWriter {
  /** Resolves when there is something to send. */
  readonly started: Promise<void>
  readonly #start: () => void
  readonly #opened: Promise<void>
  readonly #open: () => void
  readonly #call: Call
  readonly #unsentResponses: UnsentResponses
  /** The bytes of the response so far, for repeated requests. */
  keptBytes = 0
  #unsent: UnsentResponse | undefined
  /** The weight of the request while it does not wait for the client. */
  #weight: number | undefined

  constructor(call: Call, deps: PaidCallDependencies) {
    super(call, deps)
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    this.started = started
    this.#start = start
    this.#opened = opened
    this.#open = open
    this.#call = call
    this.#unsentResponses = deps.unsentResponses
  }

  override open(sink: Sink, heartbeat: () => Uint8Array, hasOutput = true): void {
    super.open(sink, heartbeat, hasOutput)
    this.#unsent = this.#unsentResponses.open(this.#call.caller.account, () => sink.abort?.())
    this.#open()
  }

  /** One event, once the response has begun. Waits until the client reads on, or the call ends for another reason. */
  async writeEvent(event: Pieces): Promise<void> {
    await this.#send(event, (blocked) => this.drained(blocked))
  }

  /** The last event, after settlement. */
  async writeLast(event: Pieces): Promise<void> {
    this.keptBytes = 0
    await this.#send(event, (blocked) => blocked)
  }

  async #send(event: Pieces, drained: (blocked: Promise<unknown>) => Promise<unknown>): Promise<void> {
    if (event.length === 0) return
    this.#start()
    await this.#opened
    let left = lengthOf(event)
    for (const piece of event) {
      const blocked = this.write(piece)
      if (blocked) {
        this.#waitFor(left)
        await drained(blocked)
      }
      left -= piece.length
    }
    this.#resume()
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

  override close(): void {
    super.close()
    this.#unsent?.end()
  }
}

export const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0)
