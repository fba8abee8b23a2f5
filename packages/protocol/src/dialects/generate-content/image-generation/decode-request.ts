// A request of this dialect for a model that makes images (`responseModalities` with IMAGE), as an image request.

import { type TranslatedFields, untranslatedFields, whole } from '../../../canonical/encoding/untranslated-fields.ts'
import type { ImageInput, ImageLimits, ImageRequest } from '../../../canonical/image.ts'
import {
  type Json,
  put,
  RequestError,
  readInteger,
  readObject,
  readString,
  unsupported,
  wrong,
} from '../../../canonical/reading.ts'
import type { CanonicalRequest, Part } from '../../../canonical/request.ts'
import type { WarningReason } from '../../../canonical/warning.ts'
import type { Codec } from '../../../framing/codec.ts'
import { base64Bytes } from '../../../image-data/base64.ts'
import type { PathParameters } from '../../dialect.ts'
import type { PassThroughRequest } from '../../pass-through.ts'
import { sidesOf } from '../../shared/images/sides.ts'
import { parseRequest, readParsed } from '../pass-through/request.ts'
import { camel, camelName } from '../request/fields.ts'
import {
  ASPECT_RATIOS,
  isAspectRatio,
  isOfRatio,
  isSizeClass,
  SIZE_CLASSES,
  sizeClassOf,
  sizeOf,
} from './aspect-ratio.ts'

const MAX_PROMPT = 32_000
const MAX_N = 10
const MAX_IMAGES = 16
const TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp']

/** A request whose bytes an upstream of this dialect gets, and what upstreams of other dialects can be asked for. */
export type ImageGeneration = {
  body: Json
  passing: PassThroughRequest
}

/** Checked as every body of this dialect. Throws RequestError. */
export function readImageGeneration(
  bytes: Uint8Array,
  codec: Codec,
  addressed: PathParameters,
  maxValues?: number,
): ImageGeneration {
  const parsed = parseRequest(bytes, codec, maxValues)
  const passing = readParsed(parsed, addressed)
  const request = passing.canonical()
  rejectOtherModalities(configOf(parsed.body), request)
  rejectMany(request)
  return { body: parsed.body, passing }
}

const configOf = (body: Json): Json => camel(readObject(camel(body), 'generationConfig') ?? {})

/** What is known of the request even if it cannot be translated: enough to hold its cost. */
export function outlineOf({ passing }: ImageGeneration): ImageRequest {
  const { model, stream, choices } = passing
  return {
    operation: 'generate',
    model,
    prompt: '',
    n: choices,
    stream,
    responseFormat: 'b64_json',
    images: [],
    unknown: [],
  }
}

export type TranslateOptions = {
  /** Those of the model: of its listed sizes the nearest is asked for. */
  limits: ImageLimits
  warn(field: string, reason: WarningReason): void
}

/** For upstreams of other dialects. Throws RequestError for what they cannot be asked for. */
export function translateImageGeneration({ body, passing }: ImageGeneration, options: TranslateOptions): ImageRequest {
  const { warn } = options
  const request = passing.canonical()
  const images: ImageInput[] = []
  const texts = request.instructions.map(({ text }) => text)
  for (const turn of request.turns) for (const part of turn.parts) takePart(part, texts, images)
  const prompt = texts.filter((text) => text.trim() !== '').join('\n')
  if (prompt === '') throw wrong('contents', 'contents must have text that says what the image is to show')
  if (prompt.length > MAX_PROMPT)
    throw wrong('contents', `contents must not have more than ${MAX_PROMPT} characters of text for an image model`)
  if (images.length > MAX_IMAGES)
    throw wrong('contents', `contents must not have more than ${MAX_IMAGES} images for an image model`)
  for (const field of untranslatedFields(body, TRANSLATED)) warn(field, 'dropped')
  return {
    operation: images.length === 0 ? 'generate' : 'edit',
    model: request.model,
    prompt,
    n: passing.choices,
    stream: request.stream,
    ...settingsIn(configOf(body), options),
    // Clients of this dialect read inline data.
    responseFormat: 'b64_json',
    images,
    unknown: [],
  }
}

/** Without a list the model generates what it can. One that does not have images demands something that it cannot. */
function rejectOtherModalities({ responseModalities: given }: Json, { model, modalities }: CanonicalRequest): void {
  const isGiven = typeof given === 'string' || (Array.isArray(given) && given.length > 0)
  if (!isGiven || modalities.includes('image')) return
  const field = 'generationConfig.responseModalities'
  throw wrong(field, `The model '${model}' generates images: ${field} must have IMAGE, or be left out.`)
}

function rejectMany({ sampling }: CanonicalRequest): void {
  if ((sampling.choices ?? 1) <= MAX_N) return
  const field = 'generationConfig.candidateCount'
  throw wrong(field, `${field} must be at most ${MAX_N} for an image model`)
}

function takePart(part: Part, texts: string[], images: ImageInput[]): void {
  if (part.type === 'text') texts.push(part.text)
  else if (part.type === 'media') images.push(inputOf(part))
  else if (part.type === 'call' || part.type === 'result' || part.type === 'foreign')
    throw unsupported('contents', 'An image model calls no tools: contents must have only text and images.')
}

function inputOf({ source, media, at }: Extract<Part, { type: 'media' }>): ImageInput {
  if (source.kind !== 'inline')
    throw unsupported(at, 'An image model takes images as inlineData only: files are not fetched.')
  if (media !== 'image' || !TYPES.includes(source.mime))
    throw new RequestError('bad_request', at, 'An image model takes PNG, JPEG and WebP images only.')
  return {
    mediaType: source.mime,
    bytes: base64Bytes(source.data),
    source: { kind: 'inline', base64: source.data },
  }
}

const AT = 'generationConfig.imageConfig'

/** What of the settings of the image other dialects have. */
function settingsIn(config: Json, { limits, warn }: TranslateOptions): Partial<ImageRequest> {
  const given = readObject(config, 'imageConfig', 'generationConfig')
  if (given === undefined) return {}
  const image = camel(given)
  const settings: Partial<ImageRequest> = {}
  put(settings, 'size', sizeIn(image, { limits, warn }))
  const mime = readString(image, 'outputMimeType', AT)?.toLowerCase()
  if (mime === undefined) return settings
  const format = FORMATS.find((known) => mime === `image/${known}`)
  if (format === undefined) warn(`${AT}.outputMimeType`, 'dropped')
  else settings.outputFormat = format
  put(settings, 'outputCompression', readInteger(image, 'outputCompressionQuality', 0, 100, AT))
  return settings
}

const FORMATS = ['png', 'jpeg', 'webp'] as const

function sizeIn(image: Json, { limits, warn }: TranslateOptions): string | undefined {
  const ratio = readString(image, 'aspectRatio', AT)
  const sizeClass = readString(image, 'imageSize', AT)?.toUpperCase()
  if (ratio === undefined && sizeClass === undefined) return undefined
  if (ratio !== undefined && !isAspectRatio(ratio))
    throw wrong(`${AT}.aspectRatio`, `${AT}.aspectRatio must be one of ${ASPECT_RATIOS.join(', ')}`)
  if (sizeClass !== undefined && !isSizeClass(sizeClass))
    throw wrong(`${AT}.imageSize`, `${AT}.imageSize must be one of ${SIZE_CLASSES.join(', ')}`)
  const size = sizeOf(ratio ?? '1:1', sizeClass ?? '1K', limits)
  const sides = sidesOf(size)
  if (sides !== undefined && ratio !== undefined && !isOfRatio(sides, ratio)) warn(`${AT}.aspectRatio`, 'changed')
  if (sides !== undefined && sizeClass !== undefined && sizeClassOf(sides) !== sizeClass)
    warn(`${AT}.imageSize`, 'changed')
  return size
}

/** What becomes an image request. Of anything else the caller learns that it was meant for another kind of model. */
const TRANSLATED: TranslatedFields = {
  plain: camelName,
  members: {
    model: true,
    systemInstruction: { role: true, text: true, parts: whole('text') },
    contents: {
      role: true,
      parts: { ...whole('text', 'thought', 'thoughtSignature'), inlineData: whole('mimeType', 'data') },
    },
    generationConfig: {
      ...whole('responseModalities', 'candidateCount'),
      imageConfig: whole('aspectRatio', 'imageSize', 'outputMimeType', 'outputCompressionQuality'),
    },
  },
}
