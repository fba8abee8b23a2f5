// The `image_generation` tool of a request, as the gateway runs it: with a configured image model, for text models whose upstreams
// do not have it.

import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { isObject, type Json, parsedJson, wrong } from '@trivium/protocol/canonical/reading.ts'
import type { Tool } from '@trivium/protocol/canonical/request.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { readFields } from '@trivium/protocol/dialects/images/request/fields.ts'
import { checkImageLimits } from '@trivium/protocol/dialects/images/request/limits.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'

/** The type of the tool, and the word that a price for it has in the configuration. */
export const IMAGE_TOOL = 'image_generation'

export type ImageTool = Readonly<{
  /** The offer of the configured image model. */
  offer: OfferOf<'image'>
  /** What the model calls. */
  functionName: string
  /** Options that the caller has set; the model sets the others. */
  options: Json
  /** Calls of the function that are served in one response. */
  maxCalls: number
  /** The client gets a stream, and partial images if it asks for them. */
  isStream: boolean
}>

/** Without a limit of the caller's. */
const DEFAULT_MAX_CALLS = 4
const MOST_CALLS = 128
/** What the caller may set, and what the model may set instead. */
const OPTIONS = ['size', 'quality', 'background', 'output_format', 'output_compression', 'moderation', 'partial_images']
const OFFERED = ['size', 'quality', 'background'] as const
/** Options that only a vendor's own tool can follow. */
const UNSUPPORTED = ['model', 'input_fidelity', 'input_image_mask'] as const

/** `body`: of the caller's request. Throws RequestError for options that the image model does not have. */
export function readImageTool(
  body: Json,
  offer: OfferOf<'image'>,
  functionNames: ReadonlySet<string>,
  warnings: string[],
): ImageTool {
  const tools = Array.isArray(body.tools) ? body.tools : []
  const index = tools.findIndex((tool) => isObject(tool) && tool.type === IMAGE_TOOL)
  const tool: Json = index === -1 ? {} : tools[index]
  const at = `tools[${index}]`
  for (const name of UNSUPPORTED) if (isGiven(tool[name])) addWarning(warnings, `${at}.${name}`, 'dropped')
  if (tool.action === 'edit') addWarning(warnings, `${at}.action`, 'dropped')
  const options = Object.fromEntries(OPTIONS.filter((name) => isGiven(tool[name])).map((name) => [name, tool[name]]))
  const isStream = body.stream === true
  const read: ImageTool = {
    offer,
    options,
    isStream,
    maxCalls: maxCallsOf(body),
    functionName: functionNames.has(IMAGE_TOOL) ? `gateway_${IMAGE_TOOL}` : IMAGE_TOOL,
  }
  // The caller's mistakes are rejected before anything is held.
  checkImageLimits(requestFor(read, { prompt: 'any' }), offer.model.limits)
  return read
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

function maxCallsOf({ max_tool_calls: most }: Json): number {
  if (!isGiven(most)) return DEFAULT_MAX_CALLS
  if (typeof most !== 'number' || !Number.isInteger(most) || most < 1)
    throw wrong('max_tool_calls', 'max_tool_calls must be a whole number above 0')
  return Math.min(most, MOST_CALLS)
}

/** The function that the model is offered. */
export function functionOf({ functionName, options, offer }: ImageTool): Tool {
  const { sizes, qualities } = offer.model.limits
  const schemas = {
    size: { type: 'string', description: 'Width and height in pixels, such as 1024x1024, or auto.', ...oneOf(sizes) },
    quality: { type: 'string', description: 'Quality of the image, or auto.', ...oneOf(qualities) },
    background: { type: 'string', enum: ['transparent', 'opaque', 'auto'] },
  }
  const offered = OFFERED.filter((name) => options[name] === undefined).map((name) => [name, schemas[name]])
  const prompt = { type: 'string', description: 'What the image shows, with all details.' }
  return {
    name: functionName,
    description: 'Makes one image and shows it to the user.',
    schema: {
      type: 'object',
      properties: { prompt, ...Object.fromEntries(offered) },
      required: ['prompt'],
      additionalProperties: false,
    },
    strict: false,
  }
}

const oneOf = (words: readonly string[] | undefined) => (words === undefined ? {} : { enum: withAuto(words) })

const withAuto = (words: readonly string[]): string[] => ['auto', ...words.filter((word) => word !== 'auto')]

/** The image that one call of the function asks for. Throws RequestError if the model got it wrong. */
export function imageRequestOf(tool: ImageTool, text: string): ImageRequest {
  const values = parsedJson(text)
  if (!isObject(values)) throw wrong('prompt', 'The arguments must be a JSON object with a prompt')
  const chosen = OFFERED.filter((name) => isGiven(values[name])).map((name) => [name, values[name]])
  const request = requestFor(tool, { ...Object.fromEntries(chosen), prompt: values.prompt })
  checkImageLimits(request, tool.offer.model.limits)
  return request
}

function requestFor({ offer, options, isStream }: ImageTool, chosen: Json): ImageRequest {
  const { partial_images: partialImages, ...rest } = options
  const fields = readFields({ ...chosen, ...rest, partial_images: partialImages, model: offer.model.id })
  const hasPartials = isStream && (fields.partialImages ?? 0) > 0
  const { partialImages: _, ...plain } = fields
  return {
    operation: 'generate',
    ...plain,
    stream: hasPartials,
    responseFormat: 'b64_json',
    images: [],
    unknown: [],
    ...(hasPartials && fields.partialImages !== undefined ? { partialImages: fields.partialImages } : {}),
  }
}
