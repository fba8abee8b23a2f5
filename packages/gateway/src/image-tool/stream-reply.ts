// A reply of the model that is streamed: what the client may see is passed on as it comes, and all of it is kept for the next call
// of the model. It is metered and extends the hold as every stream does.

import type { StreamEvent } from '@trivium/protocol/canonical/event.ts'
import { type CanonicalReply, fold } from '@trivium/protocol/canonical/reply.ts'
import type { ReplyContext } from '@trivium/protocol/dialects/text-dialect.ts'
import type { ImageDependencies } from '../images/dependencies.ts'
import { totalsOf } from '../money/prices/token-units.ts'
import { DRAIN_MS } from '../paid-call/run.ts'
import type { Failure } from '../request/failure.ts'
import { chargeOf, type Observed } from '../text/billing/charge.ts'
import type { TextCallDependencies } from '../text/dependencies.ts'
import { firstOutput } from '../text/responding/before-output.ts'
import { callUpstream } from '../text/responding/call-upstream.ts'
import { failureOfOutcome } from '../text/responding/end-stream.ts'
import type { MeteredStream } from '../text/responding/metered-stream.ts'
import { relay } from '../text/responding/relay.ts'
import { StreamClient } from '../text/responding/stream-client.ts'
import type { TextCall } from '../text/text-call.ts'
import type { Captured, CapturedReply } from './capture-reply.ts'

export type ImageToolDependencies = TextCallDependencies & ImageDependencies

/** Takes what the client may see. Resolves when more may follow. */
export type EventOutput = {
  begin(answering: ReplyContext): void
  events(events: readonly StreamEvent[]): Promise<void>
}

/** `isKept`: all of the response is made, whether the client stays or not. `imageBytes`: of what stays in memory until then. */
export type Streaming = { functionName: string; isKept: boolean; imageBytes: number; output: EventOutput }

/** `failure`: it broke off after its first output. */
export type StreamedReply = CapturedReply & { observed: Observed; failure: Failure | undefined }

/** Throws a Failure if there was no output; the call is settled then. Calls of the function are not passed on. */
export async function streamReply(
  call: TextCall,
  captured: Captured,
  { functionName, isKept, imageBytes, output }: Streaming,
  deps: ImageToolDependencies,
): Promise<StreamedReply> {
  const reply = new GrowingReply(functionName)
  const passOn = () => output.events(reply.add(captured.stream?.events.splice(0) ?? []))
  const client = new ReplyClient(call, isKept, passOn, deps)
  const { stream } = await firstOutput(call, await callUpstream(call, deps), client, deps)
  if (!captured.stream) throw new Error('a stream was not captured')
  const { answering } = captured.stream
  // The request is kept for the next call of the model.
  const { pending } = call.own
  if (pending) call.slot.resize(pending.planned.request.body.length + imageBytes)
  call.firstOutputAt ??= performance.now()
  output.begin(answering)
  // The next call of the model does not wait for the end of the connection.
  stream.endsWhenWhole = true
  await passOn()
  const outcome = await relay({ stream, early: [] }, client, call.upstreamCall, deps.streamTiming)
  client.isOver = true
  const { usage, finish, outputBytes, sawOutput, done, error } = stream.state
  const { deliveredBytes } = client
  const observed = { outcome, usage, finish, outputBytes, deliveredBytes, sawOutput }
  // Only this stream ends: the call goes on with images and with the next reply, which has its own time.
  call.upstreamCall.sent()
  if (done) stream.release(stream)
  else stream.cancel()
  if (outcome === 'stopped_by_balance') {
    const { tokens } = chargeOf(call, observed, deps.statistics.of(call.attempt.offer.model.id))
    stream.meter.stop(totalsOf(tokens))
  }
  const failure = failureOfOutcome(call, outcome, error, deps)
  // The end of a reply that broke off would close what is not complete.
  if (!failure) await passOn()
  return { reply: reply.whole(), answering, observed, failure }
}

/** All events of a reply, for the conversation; those of the function's calls are held back from the client. */
class GrowingReply {
  readonly #functionName: string
  readonly #events: StreamEvent[] = []
  /** Blocks that are calls of the function. */
  readonly #heldBack = new Set<number>()

  constructor(functionName: string) {
    this.#functionName = functionName
  }

  /** Gives those that the client may see. */
  add(events: readonly StreamEvent[]): StreamEvent[] {
    for (const event of events) {
      const isCall = event.type === 'open' && event.block.type === 'call' && event.block.name === this.#functionName
      if (isCall) this.#heldBack.add(event.index)
      this.#keep(event)
    }
    return events.filter((event) => 'index' in event && !this.#heldBack.has(event.index))
  }

  whole(): CanonicalReply {
    return fold(this.#events)
  }

  /** Text that came in many pieces is kept as one. */
  #keep(event: StreamEvent): void {
    const last = this.#events.at(-1)
    if (event.type === 'delta' && last?.type === 'delta' && last.index === event.index)
      this.#events[this.#events.length - 1] = { ...last, text: last.text + event.text }
    else this.#events.push(event)
  }
}

function drainOnDisconnect({ client, upstreamCall }: TextCall): void {
  client.onDisconnect = () => upstreamCall.endWithin(DRAIN_MS, 'client_disconnected')
  if (client.isDisconnected) client.onDisconnect()
}

/** The client's side of one reply. What the stream's meter writes is nothing: the events are in the capture. */
class ReplyClient extends StreamClient {
  readonly #call: TextCall
  readonly #isKept: boolean
  readonly #passOn: () => Promise<void>

  constructor(call: TextCall, isKept: boolean, passOn: () => Promise<void>, deps: ImageToolDependencies) {
    super(call, deps)
    this.#call = call
    this.#isKept = isKept
    this.#passOn = passOn
  }

  override watch(stream: MeteredStream): void {
    if (this.#isKept) drainOnDisconnect(this.#call)
    else super.watch(stream)
  }

  override write(_bytes: Uint8Array): Promise<unknown> {
    return this.#passOn()
  }

  override async drained(written: Promise<unknown>): Promise<void> {
    await written
  }
}
