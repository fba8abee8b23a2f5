// The tool at work: the model is called, the images that it calls for are made, and it is called again with the results, until it
// answers without calling for another. All of it is one request with one hold.

import type { StreamEvent } from '@trivium/protocol/canonical/event.ts'
import type { Stop } from '@trivium/protocol/canonical/finish.ts'
import { finishOf } from '@trivium/protocol/canonical/finish.ts'
import type { Block, CanonicalReply, MediaBlock } from '@trivium/protocol/canonical/reply.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type { ReplyContext } from '@trivium/protocol/dialects/text-dialect.ts'
import type { Outcome } from '../paid-call/outcome.ts'
import { DRAIN_MS } from '../paid-call/run.ts'
import { Failure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import { reserve } from '../routing/find-candidate.ts'
import { chargeOf, learn, type Observed, type TextCharge } from '../text/billing/charge.ts'
import { coverageOf, measure } from '../text/billing/coverage.ts'
import { outcomeOfFinish } from '../text/charge-tokens.ts'
import type { PlannedAttempt } from '../text/request.ts'
import { readReply } from '../text/responding/respond-json.ts'
import type { TextCall } from '../text/text-call.ts'
import { prepare } from '../text/translation/prepare.ts'
import { Attempt } from '../upstreams/health/key-health.ts'
import type { Captured, CapturedReply } from './capture-reply.ts'
import { type CallResult, followUp, splitReply } from './conversation.ts'
import type { ImageTool } from './image-tool.ts'
import { makeImage, type OnPartial } from './make-image.ts'
import { partOfHold } from './part-of-hold.ts'
import { Spending } from './spending.ts'
import type { ImageToolDependencies } from './stream-reply.ts'
import { type StreamedReply, streamReply } from './stream-reply.ts'

export type ToolCall = { tool: ImageTool; call: TextCall; captured: Captured }

/** Takes the response as it comes. Each resolves when the next may follow. */
export type Output = {
  /** Before anything else of each reply. */
  begin(answering: ReplyContext): void
  /** Called for a reply that is streamed. */
  events(events: readonly StreamEvent[]): Promise<void>
  /** Called for a reply that was read whole; absent where replies are streamed. */
  block?(block: Block): Promise<void>
  openImage(): Promise<void>
  partialImage: OnPartial
  closeImage(image: MediaBlock): Promise<void>
}

export type Ended = {
  outcome: Outcome
  stop: Stop | undefined
  spending: Spending
  /** From the last call of the model that brought a reply. */
  observed: Observed
  charge: TextCharge
  /** The first reply broke off: the response ends with this error. */
  failure: Failure | undefined
}

type Answered = CapturedReply & { observed: Observed; charge: TextCharge; failure: Failure | undefined }

const INCOMPLETE: Stop = { raw: 'length', reason: 'length' }

/** A model that is told that there are no more images, and calls for one all the same, is not called again. */
const ROUNDS_AFTER_LIMIT = 1

/** Throws a Failure only if the first call of the model fails without any output; the call is settled then. */
export async function run(toolCall: ToolCall, output: Output, deps: ImageToolDependencies): Promise<Ended> {
  const { tool, call } = toolCall
  const spending = new Spending(tool.offer.rate.multiplierMillionths)
  let answered = await ask(call, toolCall, spending, output, deps)
  let calls = 0
  const ended = (outcome: Outcome | undefined, stop: Stop | undefined, failure?: Failure): Ended => {
    const { observed, charge } = answered
    const byClient = call.client.isDisconnected ? 'client_disconnected' : undefined
    const outcomeOfStop = outcomeOfFinish(stop && finishOf(stop))
    return { outcome: outcome ?? byClient ?? outcomeOfStop, stop, spending, observed, charge, failure }
  }
  try {
    for (let round = 0; ; round++) {
      const { reply, answering, observed, failure } = answered
      if (failure && round === 0) return ended(observed.outcome, undefined, failure)
      if (failure) throw failure
      if (observed.outcome === 'stopped_by_balance') return ended(observed.outcome, INCOMPLETE)
      const { said, imageCalls, otherCalls, stop } = splitReply(reply, tool.functionName)
      output.begin(answering)
      for (const block of said) await output.block?.(block)
      const results: CallResult[] = []
      for (const image of imageCalls) {
        if (mustEnd(call)) return ended(undefined, INCOMPLETE)
        results.push(
          calls++ < tool.maxCalls ? await oneImage(image, toolCall, spending, output, deps) : over(image, tool),
        )
      }
      for (const block of otherCalls) await output.block?.(block)
      const isLast = round >= tool.maxCalls + ROUNDS_AFTER_LIMIT
      // With calls of its own tools, the caller continues the conversation.
      if (imageCalls.length === 0 || otherCalls.length > 0 || isLast) return ended(undefined, stop)
      if (mustEnd(call)) return ended(undefined, INCOMPLETE)
      const next = await askAgain(toolCall, reply, results, spending, output, deps)
      if (!next) return ended('stopped_by_balance', INCOMPLETE)
      answered = next
    }
  } catch (error) {
    // What was made is delivered and charged, whatever the next call came to.
    if (!(error instanceof Failure))
      deps.log.error('image tool failed', { request: formatRequestId(call.id), error: String(error) })
    addWarning(call.attempt.warnings, 'output', 'incomplete')
    return ended(call.upstreamCall.reason ?? 'incomplete', INCOMPLETE)
  }
}

/** No client would get what follows, not even by the idempotency key. */
const mustEnd = ({ client, claim, upstreamCall }: TextCall): boolean =>
  (client.isDisconnected && !claim) || upstreamCall.reason !== undefined

const over = (call: CallResult['call'], { maxCalls }: ImageTool): CallResult => ({
  call,
  isError: true,
  said: `The image was not made: this response may have at most ${maxCalls} images. Answer without another one.`,
})

async function oneImage(
  image: CallResult['call'],
  { tool, call }: ToolCall,
  spending: Spending,
  output: Output,
  deps: ImageToolDependencies,
): Promise<CallResult> {
  const { upstreamCall } = call
  await output.openImage()
  // Images take long: meanwhile others may use the slot, and the silence is not the text upstream's.
  upstreamCall.releaseSlot()
  upstreamCall.suspendIdle(true)
  try {
    const onPartial = output.partialImage
    const made = await makeImage(tool, image.arguments, call, spending, onPartial, deps)
    await output.closeImage(made.image)
    return { call: image, said: made.said, isError: made.image.made?.failed === true }
  } finally {
    upstreamCall.suspendIdle(false)
  }
}

/** `call`: of this reply. */
async function ask(
  call: TextCall,
  { captured, tool, call: first }: ToolCall,
  spending: Spending,
  output: Output,
  deps: ImageToolDependencies,
): Promise<Answered> {
  const { functionName, images } = tool
  const streaming = { functionName, isKept: first.claim !== undefined, imageBytes: images.bytes, output }
  const read = call.isStream
    ? await streamReply(call, captured, streaming, deps)
    : await wholeReply(call, captured, deps)
  const { observed } = read
  const statistics = deps.statistics.of(call.attempt.offer.model.id)
  const charge = chargeOf(call, observed, statistics)
  learn({ plainBytes: 0, held: call.hold.held }, observed, charge, statistics)
  spending.addText(charge, observed.usage, call.attempt.offer.rate.multiplierMillionths)
  const { health } = call.attempt
  health.answered(deps.ticker.now(), call.firstOutputAt)
  return { ...read, charge }
}

async function wholeReply(call: TextCall, captured: Captured, deps: ImageToolDependencies): Promise<StreamedReply> {
  const { usage, finish, outputBytes } = await readReply(call, deps)
  const { last } = captured
  if (!last) throw new Error('a reply was not captured')
  const outcome = outcomeOfFinish(finish)
  return { ...last, observed: { outcome, usage, finish, outputBytes, sawOutput: true }, failure: undefined }
}

/** undefined: there are no funds for another call. */
async function askAgain(
  toolCall: ToolCall,
  reply: CanonicalReply,
  results: readonly CallResult[],
  spending: Spending,
  output: Output,
  deps: ImageToolDependencies,
): Promise<Answered | undefined> {
  const { call } = toolCall
  const { client, upstreamCall } = call
  const { pending } = call.own
  if (!pending) throw new Error('a request was released before its last call')
  const hold = partOfHold(call.hold, spending.cost, spending.tokens)
  // The end of this step is not that of the request, which has the idempotency key.
  const next = await prepared({ ...call, hold, claim: undefined }, followUp(pending.planned, reply, results), deps)
  if (!next) return undefined
  client.onDisconnect = () => upstreamCall.endWithin(DRAIN_MS, 'client_disconnected')
  if (client.isDisconnected) client.onDisconnect()
  const { firstOutputAt } = call
  try {
    return await ask(next, toolCall, spending, output, deps)
  } finally {
    // Another candidate may have answered.
    const { attempt, failedAttempts, tried, own } = next
    Object.assign(call, { attempt, failedAttempts, tried, own, firstOutputAt })
  }
}

async function prepared(
  call: TextCall,
  planned: PlannedAttempt,
  deps: ImageToolDependencies,
): Promise<TextCall | undefined> {
  const { ticker, upstreamCalls, statistics } = deps
  const outbound = prepare(planned, deps)
  const measured = measure(planned, outbound, statistics)
  const { hold, attempt, upstreamCall } = call
  if ((await hold.raise(measured.amount, measured.minimum)) === 'stop') return undefined
  const { candidate } = attempt
  attempt.health.end(ticker.now())
  upstreamCalls.move(upstreamCall, candidate.upstream, reserve(candidate, call, ticker.now()))
  // Each call of the model has the whole time.
  upstreamCall.sent()
  const { answerer, options, dialect } = outbound
  const coverage = coverageOf(hold, measured, planned)
  const { lowering } = coverage
  if (lowering !== undefined && !attempt.warnings.includes(lowering)) attempt.warnings.push(lowering)
  const health = new Attempt(candidate.health, candidate.route.model, ticker.now())
  return {
    ...call,
    attempt: { ...attempt, answerer, options, dialect, coverage, health },
    own: { ...call.own, pending: { planned, outbound } },
  }
}
