// One image that the model has called for, made with the parts of the image journey. Whatever goes wrong is told to the model and
// shown in the item; the response goes on.

import { NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import type { Base64, ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { RequestError } from '@trivium/protocol/canonical/reading.ts'
import type { MadeImage, MediaBlock } from '@trivium/protocol/canonical/reply.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { paymentText } from '../access/contact.ts'
import { freeMemory } from '../bytes/free-memory.ts'
import { imageTimeoutsOf } from '../config/upstream-defaults.ts'
import { chargeOf } from '../images/charge-images.ts'
import { type CompletedImage, generate, type PartialImage } from '../images/generate.ts'
import { type ImageCall, newWork } from '../images/image-call.ts'
import { present } from '../images/present.ts'
import { checkInputs, offerForInputs } from '../images/reading/fetch-inputs.ts'
import { inspectedInputs } from '../images/reading/inspect-inputs.ts'
import { boundOf, expectedBytes } from '../images/reserve.ts'
import { type ImageRouted, route } from '../images/route.ts'
import { takesUrls, upstreamRequest } from '../images/upstream-request.ts'
import { releaseSlots } from '../paid-call/open.ts'
import { bodyFailure, Failure } from '../request/failure.ts'
import type { TextCall } from '../text/text-call.ts'
import { madeText, NOT_MADE } from './history.ts'
import { type ImageTool, imageRequestOf } from './image-tool.ts'
import { partOfHold, recordSpent } from './part-of-hold.ts'
import type { Spending } from './spending.ts'
import type { ImageToolDependencies } from './stream-reply.ts'

/** The item for the client, and what the model is told. */
export type Made = { image: MediaBlock; said: string }

export type OnPartial = (index: number, base64: Pieces, details: MadeImage) => Promise<void>

/** `text`: the arguments of the call. */
export async function makeImage(
  tool: ImageTool,
  text: string,
  call: TextCall,
  spending: Spending,
  onPartial: OnPartial,
  deps: ImageToolDependencies,
): Promise<Made> {
  try {
    const request = await inspectedInputs(imageRequestOf(tool, text))
    const { caller, client, record } = call
    const offer = await offerForInputs(tool.offer, request, caller, deps)
    const routed = await route(offer, request, caller, { http: client, record }, deps)
    let isHeld = false
    try {
      const imageCall = await hold(request, routed, call, spending, deps)
      isHeld = true
      return await make(imageCall, tool, call, spending, onPartial, deps)
    } finally {
      if (!isHeld) releaseSlots(routed, deps)
    }
  } catch (error) {
    if (error instanceof Failure) return failed(error.info.message)
    if (error instanceof RequestError) return failed(error.message)
    throw error
  }
}

const failed = (why: string): Made => ({
  image: { type: 'media', mime: 'image/png', data: '', made: { failed: true } },
  said: `${NOT_MADE} ${why}`,
})

/** The hold of the response is extended before anything is sent. */
async function hold(
  request: ImageRequest,
  routed: ImageRouted,
  call: TextCall,
  spending: Spending,
  deps: ImageToolDependencies,
): Promise<ImageCall> {
  const { offer, candidate, upstreamCall, health } = routed
  // What this upstream cannot express is rejected before anything is held.
  if (!takesUrls(candidate)) checkInputs(request)
  const { dialect, warnings } = upstreamRequest(request, candidate, call.caller, request.n, deps)
  const part = partOfHold(call.hold, spending.cost, spending.tokens)
  const bound = boundOf(request, offer, candidate)
  if ((await part.raise(bound, bound)) === 'stop')
    throw new Failure(
      'insufficient_balance',
      `The balance or a limit of the key does not cover the image.${paymentText(deps.catalogue().config)}`,
    )
  // Until the response is complete, all of its images are in memory.
  if (!call.slot.grow(expectedBytes(request))) throw bodyFailure(NO_MEMORY)
  return {
    ...call,
    hold: part,
    upstreamCall,
    claim: undefined,
    firstOutputAt: undefined,
    failedAttempts: undefined,
    offer: routed.wanted,
    attempt: { offer, candidate, dialect, health, warnings: [...warnings] },
    routed,
    tried: [],
    own: newWork(request),
  }
}

async function make(
  imageCall: ImageCall,
  tool: ImageTool,
  call: TextCall,
  spending: Spending,
  onPartial: OnPartial,
  deps: ImageToolDependencies,
): Promise<Made> {
  const { upstreamCall, client } = imageCall
  const { request } = imageCall.own
  // What is being made is billed: a disconnect does not end it.
  client.onDisconnect = () => {
    upstreamCall.endWithin(imageTimeoutsOf(imageCall.attempt.candidate.upstream).drainMs, 'client_disconnected')
  }
  if (client.isDisconnected) client.onDisconnect()
  deps.retryBudget.addRequest()
  upstreamCall.sent()
  call.upstreamCall.endNotBefore(imageTimeoutsOf(imageCall.attempt.candidate.upstream).totalMs)
  let completed: CompletedImage | undefined
  try {
    // It counts at limits as was expected: what it cost is part of the cost of the text.
    upstreamCall.reservation?.used({})
    await generate(
      imageCall,
      async (event) => {
        const image = await present(event.image, imageCall, deps)
        if (event.type === 'completed') completed = { ...event, image }
        else await onPartial(event.index, image.base64?.pieces ?? [], detailsOf(event, request, undefined))
      },
      deps,
    )
  } finally {
    tool.images.remember(request, imageCall.own.request)
    const { health } = imageCall.attempt
    if (completed) health.answered(deps.ticker.now(), imageCall.firstOutputAt)
    health.end(deps.ticker.now())
    upstreamCall.stop()
    freeMemory()
  }
  warn(imageCall, tool, call)
  const [delivered] = imageCall.own.delivered
  if (!completed || !delivered) return failed('The upstream returned no image.')
  const { charge, upstreamCost } = chargeOf(imageCall)
  if (!charge) throw new Error('an image has no price')
  spending.addImage(charge, imageCall.own.usage, upstreamCost)
  await recordSpent(call.hold, spending.cost)
  const { image } = completed
  const made: MadeImage = {
    action: request.operation,
    revisedPrompt: image.revisedPrompt ?? request.prompt,
    ...detailsOf(completed, request, delivered.size),
  }
  const mime = image.mediaType ?? `image/${made.outputFormat ?? 'png'}`
  const data = textOf(image.base64)
  const name = tool.images.addMade(data, mime)
  return {
    image: { type: 'media', mime, data, made },
    said: madeText(tool.action === 'generate' ? undefined : name),
  }
}

/** What the image model or its upstream cannot do, for the caller, as options of the tool. */
function warn({ attempt }: ImageCall, { at, isEditDropped }: ImageTool, call: TextCall): void {
  const { warnings } = call.attempt
  if (isEditDropped) addWarning(warnings, `${at}.action`, 'dropped')
  for (const warning of attempt.warnings) {
    const [field = '', reason = ''] = warning.split(';')
    addWarning(warnings, `${at}.${field}`, reason)
  }
}

const textOf = (base64: Base64 | undefined): string => Buffer.concat(base64?.pieces ?? []).toString('latin1')

/** As the upstream reports it, else as it was requested. */
function detailsOf(
  { details, image }: PartialImage | CompletedImage,
  request: ImageRequest,
  delivered: string | undefined,
): MadeImage {
  const size = delivered ?? details.size ?? request.size
  const quality = details.quality ?? request.quality
  const background = details.background ?? request.background
  const outputFormat = details.outputFormat ?? request.outputFormat ?? image.mediaType?.replace('image/', '')
  return {
    ...(size === undefined ? {} : { size }),
    ...(quality === undefined ? {} : { quality }),
    ...(background === undefined ? {} : { background }),
    ...(outputFormat === undefined ? {} : { outputFormat }),
  }
}
