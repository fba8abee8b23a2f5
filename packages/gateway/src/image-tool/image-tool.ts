// The `image_generation` tool of a request, as the gateway runs it: with a configured image model, for text models whose upstreams
// do not have it.

import type { ImageInput, ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { sniffMime } from '@trivium/protocol/canonical/media.ts'
import {
  isObject,
  type Json,
  parsedJson,
  RequestError,
  readWord,
  unsupported,
  wrong,
} from '@trivium/protocol/canonical/reading.ts'
import type { Tool } from '@trivium/protocol/canonical/request.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import { IMAGE_TYPES, readReference } from '@trivium/protocol/dialects/images/request/decode-images.ts'
import { readFields } from '@trivium/protocol/dialects/images/request/fields.ts'
import { checkImageLimits } from '@trivium/protocol/dialects/images/request/limits.ts'
import type { OfferOf } from '../catalogue/catalogue.ts'
import type { ConversationImages } from './conversation-images.ts'

/** The type of the tool, and the word that a price for it has in the configuration. */
export const IMAGE_TOOL = 'image_generation'

/** `auto`: the model decides with each call. */
const ACTIONS = ['generate', 'edit', 'auto'] as const
type Action = (typeof ACTIONS)[number]

export type ImageTool = Readonly<{
  /** Where it stands in the request, for errors. */
  at: string
  /** The offer of the configured image model. */
  offer: OfferOf<'image'>
  /** What the model calls. */
  functionName: string
  /** Options that the caller has set; the model sets the others. */
  options: Json
  /** `generate` also where the image model cannot edit. */
  action: Action
  /** The caller may mean an image of the conversation, which the image model cannot change: another one is made. */
  isEditDropped: boolean
  /** Says which part of the first image an edit may change. */
  mask: ImageInput | undefined
  /** What may be edited. */
  images: ConversationImages
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
/** Options of edits alone. */
const EDIT_OPTIONS = ['input_fidelity'] as const

const KNOWN: ReadonlySet<string> = new Set([...OPTIONS, ...EDIT_OPTIONS, 'type', 'action', 'input_image_mask'])

type Offered = Pick<ImageTool, 'offer' | 'functionName' | 'images'>

/** `body`: of the caller's request. Throws RequestError for options that the image model does not have. */
export function readImageTool(body: Json, offered: Offered, warnings: string[]): ImageTool {
  const tools = Array.isArray(body.tools) ? body.tools : []
  const index = tools.findIndex((tool) => isObject(tool) && tool.type === IMAGE_TOOL)
  const tool: Json = index === -1 ? {} : tools[index]
  const at = `tools[${index}]`
  // Only a vendor's own tool can follow them, such as the choice of a model.
  for (const name in tool) if (isGiven(tool[name]) && !KNOWN.has(name)) addWarning(warnings, `${at}.${name}`, 'dropped')
  const options = Object.fromEntries(
    [...OPTIONS, ...EDIT_OPTIONS].filter((name) => isGiven(tool[name])).map((name) => [name, tool[name]]),
  )
  const isStream = body.stream === true
  const editing = readEditing(tool, at, offered, warnings)
  const read: ImageTool = { ...offered, ...editing, at, options, isStream, maxCalls: maxCallsOf(body) }
  // The caller's mistakes are rejected before anything is held.
  checkImageLimits(requestFor(read, { prompt: 'any' }), offered.offer.model.limits)
  return read
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** What the caller says about edits, as far as the image model can follow it. Nothing of it is dropped without a warning. */
function readEditing(
  tool: Json,
  at: string,
  { offer, images }: Offered,
  warnings: string[],
): Pick<ImageTool, 'action' | 'isEditDropped' | 'mask'> {
  const action = readWord(tool, 'action', ACTIONS, at) ?? 'auto'
  const mask = isGiven(tool.input_image_mask) ? readMask(tool.input_image_mask, `${at}.input_image_mask`) : undefined
  const canEdit = offer.model.capabilities?.includes('images') === true
  if (action === 'edit' && !canEdit)
    throw unsupported(`${at}.action`, 'The image model of this gateway cannot edit images. Send action generate.')
  if (action === 'edit' && images.count === 0)
    throw wrong(
      `${at}.action`,
      `${at}.action edit needs an image in the conversation: in a message, or of an earlier response`,
    )
  const isEditing = canEdit && action !== 'generate'
  const isEditDropped = action === 'auto' && !canEdit && images.count > 0
  for (const name of EDIT_OPTIONS)
    if (isGiven(tool[name]) && !isEditing) addWarning(warnings, `${at}.${name}`, 'dropped')
  if (!isEditing || (mask && images.count === 0)) {
    if (mask) addWarning(warnings, `${at}.input_image_mask`, 'dropped')
    return { action: isEditing ? action : 'generate', isEditDropped, mask: undefined }
  }
  // The model does not know of the mask, which is only good for an edit.
  return { action: mask ? 'edit' : action, isEditDropped, mask }
}

/** By its beginning: the rest is left to the upstream. */
function readMask(value: unknown, at: string): ImageInput {
  const mask = readReference(value, at)
  const { source } = mask
  if (source.kind !== 'inline') return mask
  const mediaType = sniffMime(source.base64)
  if (mediaType !== undefined && IMAGE_TYPES.includes(mediaType)) return { ...mask, mediaType }
  const field = `${at}.image_url`
  throw new RequestError('unsupported_media_type', field, `${field} must be a PNG, JPEG or WebP image`)
}

function maxCallsOf({ max_tool_calls: most }: Json): number {
  if (!isGiven(most)) return DEFAULT_MAX_CALLS
  if (typeof most !== 'number' || !Number.isInteger(most) || most < 1)
    throw wrong('max_tool_calls', 'max_tool_calls must be a whole number above 0')
  return Math.min(most, MOST_CALLS)
}

/** The function that the model is offered: the same in every request of a conversation, for the sake of caches of its prompt. */
export function functionOf({ functionName, options, offer, action }: ImageTool): Tool {
  const { sizes, qualities } = offer.model.limits
  const schemas = {
    size: { type: 'string', description: 'Width and height in pixels, such as 1024x1024, or auto.', ...oneOf(sizes) },
    quality: { type: 'string', description: 'Quality of the image, or auto.', ...oneOf(qualities) },
    background: { type: 'string', enum: ['transparent', 'opaque', 'auto'] },
  }
  const offered = OFFERED.filter((name) => options[name] === undefined).map((name) => [name, schemas[name]])
  const isEditing = action !== 'generate'
  const prompt = { type: 'string', description: isEditing ? PROMPT_OF_EDIT : 'What the image shows, with all details.' }
  const chosen = action === 'auto' ? { action: ACTION } : {}
  const images = isEditing ? { images: IMAGES } : {}
  return {
    name: functionName,
    description: isEditing
      ? 'Makes one new image, or changes images of this conversation, and shows the result to the user.'
      : 'Makes one image and shows it to the user.',
    schema: {
      type: 'object',
      properties: { prompt, ...chosen, ...images, ...Object.fromEntries(offered) },
      required: ['prompt', ...Object.keys(chosen)],
      additionalProperties: false,
    },
    strict: false,
  }
}

const PROMPT_OF_EDIT = 'What a new image shows, with all details; or what is to be changed, and what stays as it is.'
const ACTION = {
  type: 'string',
  enum: ['generate', 'edit'],
  description: 'generate: a new image. edit: changes or combines images of this conversation.',
}
const IMAGES = {
  type: 'array',
  items: { type: 'string' },
  description: 'To edit: the names of the images to change, such as image_1. Leave it out for the last image.',
}

const oneOf = (words: readonly string[] | undefined) => (words === undefined ? {} : { enum: withAuto(words) })

const withAuto = (words: readonly string[]): string[] => ['auto', ...words.filter((word) => word !== 'auto')]

/** The image that one call of the function asks for. Throws RequestError if the model got it wrong. */
export function imageRequestOf(tool: ImageTool, text: string): ImageRequest {
  const values = parsedJson(text)
  if (!isObject(values)) throw wrong('prompt', 'The arguments must be a JSON object with a prompt')
  const chosen = OFFERED.filter((name) => isGiven(values[name])).map((name) => [name, values[name]])
  const images = isEdit(tool, values) ? tool.images.choose(values.images) : []
  const request = requestFor(tool, { ...Object.fromEntries(chosen), prompt: values.prompt }, images)
  checkImageLimits(request, tool.offer.model.limits)
  return request
}

/** A model that names images wants them changed, whether it says so or not. */
function isEdit({ action }: ImageTool, { action: chosen, images }: Json): boolean {
  if (action !== 'auto') return action === 'edit'
  return isGiven(chosen) ? chosen === 'edit' : Array.isArray(images) && images.length > 0
}

/** `images`: to edit. */
export function requestFor(tool: ImageTool, chosen: Json, images: readonly ImageInput[] = []): ImageRequest {
  const { offer, options, isStream, mask } = tool
  const fields = readFields({ ...chosen, ...options, model: offer.model.id })
  const hasPartials = isStream && (fields.partialImages ?? 0) > 0
  const { partialImages: _, inputFidelity, ...plain } = fields
  const isEdit = images.length > 0
  return {
    operation: isEdit ? 'edit' : 'generate',
    ...plain,
    stream: hasPartials,
    responseFormat: 'b64_json',
    images,
    unknown: [],
    ...(hasPartials && fields.partialImages !== undefined ? { partialImages: fields.partialImages } : {}),
    ...(isEdit && inputFidelity !== undefined ? { inputFidelity } : {}),
    ...(isEdit && mask ? { mask: tool.images.fetched(mask) } : {}),
  }
}
