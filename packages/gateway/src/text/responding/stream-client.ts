// The client's side of a stream of text: what a disconnect means.

import type { FreeAborts } from '../../paid-call/free-aborts.ts'
import { DRAIN_MS } from '../../paid-call/run.ts'
import type { StreamTiming } from '../../paid-call/writing/stream-timing.ts'
import { StreamWriter, type StreamWriterDependencies } from '../../paid-call/writing/stream-writer.ts'
import type { TextCall } from '../text-call.ts'
import type { MeteredStream } from './metered-stream.ts'

type StreamClientDependencies = StreamWriterDependencies & {
  freeAborts: Pick<FreeAborts, 'mustDrain'>
  streamTiming: StreamTiming
}

type Call = Pick<TextCall, 'client' | 'caller' | 'upstreamCall'>

export class StreamClient extends StreamWriter {
  /** The client disconnected before the stream was over. */
  isGone = false
  /** Metered output at the disconnect, if the usage is awaited: what comes later was not delivered. */
  deliveredBytes: number | undefined
  /** Nothing more is read from the upstream. */
  isOver = false
  readonly #call: Call
  readonly #deps: StreamClientDependencies

  constructor(call: Call, deps: StreamClientDependencies) {
    super(call, deps)
    this.#call = call
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
      upstreamCall.endWithin(this.#deps.streamTiming.usageWaitMs, 'client_disconnected')
    }
  }
}
