// Offers the image tool: decides whether the gateway runs it for this request, and rewrites the request for the model.

import { NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import type { ImageInput } from '@trivium/protocol/canonical/image.ts'
import { isObject, type Json, RequestError, unsupported } from '@trivium/protocol/canonical/reading.ts'
import type { CanonicalRequest, MediaPart, Part, ToolChoice } from '@trivium/protocol/canonical/request.ts'
import { utf8Length } from '@trivium/protocol/canonical/utf8.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type { PricedField } from '@trivium/protocol/dialects/pass-through.ts'
import { keyAllowsModel } from '../access/authorize.ts'
import { codec } from '../bytes/codec.ts'
import { type Catalogue, offerOf } from '../catalogue/catalogue.ts'
import { upstreamRequest } from '../images/upstream-request.ts'
import { isPriced } from '../money/prices/token-price.ts'
import { bodyFailure } from '../request/failure.ts'
import type { Caller } from '../storage/storage.ts'
import type { PlannedAttempt } from '../text/request.ts'
import type { OfferGatewayTool } from '../text/text-call.ts'
import { dialectOf } from '../text/translation/outbound.ts'
import { type Captured, capturing } from './capture-reply.ts'
import { ConversationImages } from './conversation-images.ts'
import { type ImageNames, madeImages, withImageCalls } from './history.ts'
import { functionOf, IMAGE_TOOL, type ImageTool, readImageTool, requestFor } from './image-tool.ts'
import { respondJson, respondStream } from './respond.ts'
import type { ImageToolDependencies } from './stream-reply.ts'

export const createImageTool =
  (deps: ImageToolDependencies): OfferGatewayTool =>
  (planned, catalogue) => {
    const offer = offerFor(planned, catalogue)
    if (!offer) return undefined
    const { request } = planned
    const body: Json = JSON.parse(codec.decode(request.body, 0, request.body.length))
    const warnings: string[] = []
    const { tools, turns } = request.parsed.canonical()
    const functionName = tools.some(({ name }) => name === IMAGE_TOOL) ? `gateway_${IMAGE_TOOL}` : IMAGE_TOOL
    const images = new ConversationImages(turns, body)
    const tool = readImageTool(body, { offer, functionName, images }, warnings)
    if (tool.mask) checkMask(tool, tool.mask, planned.caller, deps)
    const captured: Captured = { last: undefined, stream: undefined }
    const seen = lastMade(planned, warnings)
    const offered = withFunction(planned, tool, body, { captured, warnings, seen })
    return {
      planned: offered,
      async respond(call) {
        if (!call.slot.grow(images.bytes)) throw bodyFailure(NO_MEMORY)
        return (tool.isStream ? respondStream : respondJson)({ tool, call, captured }, deps)
      },
    }
  }

/** Some upstreams take no mask: the caller learns it before anything is held. */
function checkMask(tool: ImageTool, mask: ImageInput, caller: Caller, deps: ImageToolDependencies): void {
  const request = requestFor(tool, { prompt: 'any' }, [mask])
  const rejections = tool.offer.candidates.map((candidate) => {
    try {
      upstreamRequest(request, candidate, caller, 1, deps)
      return undefined
    } catch (error) {
      if (error instanceof RequestError) return error
      throw error
    }
  })
  const [rejection] = rejections
  if (rejection && rejections.every((each) => each !== undefined))
    throw unsupported(`${tool.at}.input_image_mask`, rejection.message)
}

/** The image that was made last, if the model takes images: at its vendor it would see all. */
function lastMade({ request: { parsed }, offer }: PlannedAttempt, warnings: string[]): Map<Part, MediaPart> {
  const made = madeImages(parsed.canonical().turns)
  const seen = offer.model.capabilities?.includes('images') ? [...made].slice(-1) : []
  if (made.size > seen.length) addWarning(warnings, 'input.result', 'dropped')
  return new Map(seen)
}

/** What the name of an image adds to the prompt at most. */
const NAME_BYTES = 48

const isImageTool = ({ kind, word }: PricedField): boolean => kind === 'tool' && word === IMAGE_TOOL

/** undefined: not requested, not configured, not for this caller, or a tool of the upstream's own that has a price. */
function offerFor({ request, caller, offer, candidate }: PlannedAttempt, catalogue: Catalogue) {
  const { dialect, parsed } = request
  const field = parsed.priced.find(isImageTool)
  const model = catalogue.config.tools?.imageGeneration?.model
  if (dialect.id !== 'responses' || !field || model === undefined) return undefined
  const isUpstreams = dialectOf(candidate, dialect.id) === dialect.id && isPriced(offer.rate.price, field)
  if (isUpstreams || !keyAllowsModel(caller, model)) return undefined
  return offerOf(catalogue, caller.group, model, 'image')
}

function withFunction(
  planned: PlannedAttempt,
  tool: ImageTool,
  body: Json,
  { captured, warnings, seen }: { captured: Captured; warnings: readonly string[]; seen: ReadonlyMap<Part, MediaPart> },
): PlannedAttempt {
  const { request, ownWarnings } = planned
  const { parsed, dialect } = request
  const asked = parsed.canonical()
  const added = functionOf(tool)
  const isEditing = tool.action !== 'generate'
  const nameOf: ImageNames = (part) => (isEditing ? tool.images.nameOf(part) : undefined)
  const canonical: CanonicalRequest = {
    ...asked,
    turns: asked.turns.flatMap((turn) => withImageCalls(turn, tool.functionName, body, nameOf, seen)),
    tools: [...asked.tools, added],
    hostedTools: asked.hostedTools.filter(({ name }) => name !== IMAGE_TOOL),
    untranslated: asked.untranslated.filter((field) => field !== 'max_tool_calls'),
    ...choiceFor(asked.toolChoice, body.tool_choice, tool),
  }
  return {
    ...planned,
    ownWarnings: [...ownWarnings, ...warnings],
    warnings: [...planned.warnings, ...warnings],
    request: {
      ...request,
      dialect: capturing(dialect, captured),
      isTranslated: true,
      parsed: {
        ...parsed,
        priced: parsed.priced.filter((field) => !isImageTool(field)),
        textBytes:
          parsed.textBytes + utf8Length(JSON.stringify(added)) + (isEditing ? tool.images.count * NAME_BYTES : 0),
        canonical: () => canonical,
      },
    },
  }
}

/** `written`: the caller's, which may name the tool by its type. */
function choiceFor(
  choice: ToolChoice | undefined,
  written: unknown,
  { functionName }: ImageTool,
): { toolChoice?: ToolChoice } {
  if (choice === undefined) return {}
  const { type, mode, tools }: Json = isObject(written) ? written : {}
  const allowed: readonly unknown[] = type === 'allowed_tools' && Array.isArray(tools) ? tools : []
  if (allowed.some((tool) => isObject(tool) && tool.type === IMAGE_TOOL)) {
    const names = choice.mode === 'allowed' ? choice.names : []
    return { toolChoice: { mode: 'allowed', required: mode === 'required', names: [...names, functionName] } }
  }
  const isForced = choice.mode === 'hosted' && choice.name === IMAGE_TOOL
  return { toolChoice: isForced ? { mode: 'tool', name: functionName } : choice }
}
