// A request of this dialect for a model that makes images (`responseModalities` with IMAGE), as an image request.

import type { ImageInput, ImageLimits, ImageRequest } from '../../../canonical/image.ts'
import {
  isObject,
  type Json,
  RequestError,
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
import { readBody } from '../../shared/pass-through/request.ts'
import { NAMES } from '../pass-through/known-names.ts'
import { rejectAmbiguous } from '../pass-through/request.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { camel } from '../request/fields.ts'
import { ASPECT_RATIOS, isAspectRatio, isSizeClass, SIZE_CLASSES, sizeOf } from './aspect-ratio.ts'

const MAX_PROMPT = 32_000
const MAX_N = 10
const MAX_IMAGES = 16
const TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp']

export type ImageRequestOptions = {
  addressed: PathParameters
  /** Those of the model: of its listed sizes the nearest is asked for. */
  limits: ImageLimits
  warn(field: string, reason: WarningReason): void
}

/** The parsed body, checked as every body of this dialect; `values`: how many it has. Throws RequestError. */
export function readImageGeneration(
  bytes: Uint8Array,
  codec: Codec,
  maxValues?: number,
): { body: Json; values: number } {
  const { scan, body } = readBody(bytes, codec, NAMES, maxValues)
  rejectAmbiguous(bytes, scan, codec)
  return { body, values: scan.values }
}

/** Throws RequestError. */
export function decodeImageGeneration(body: unknown, { addressed, limits, warn }: ImageRequestOptions): ImageRequest {
  const request = decodeRequest(body, addressed)
  const config = isObject(body) ? camel(readObject(camel(body), 'generationConfig') ?? {}) : {}
  rejectOtherModalities(config, request)
  const images: ImageInput[] = []
  const texts = request.instructions.map(({ text }) => text)
  for (const turn of request.turns) for (const part of turn.parts) takePart(part, texts, images)
  const prompt = texts.filter((text) => text.trim() !== '').join('\n')
  if (prompt === '') throw wrong('contents', 'contents must have text that says what the image is to show')
  if (prompt.length > MAX_PROMPT)
    throw wrong('contents', `contents must not have more than ${MAX_PROMPT} characters of text for an image model`)
  if (images.length > MAX_IMAGES)
    throw wrong('contents', `contents must not have more than ${MAX_IMAGES} images for an image model`)
  for (const field of droppedFields(request)) warn(field, 'dropped')
  const size = sizeIn(config, limits)
  return {
    operation: images.length === 0 ? 'generate' : 'edit',
    model: request.model,
    prompt,
    n: imagesWanted(request),
    stream: request.stream,
    ...(size === undefined ? {} : { size }),
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

function imagesWanted({ sampling }: CanonicalRequest): number {
  const n = sampling.choices ?? 1
  if (n <= MAX_N) return n
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

function sizeIn(config: Json, limits: ImageLimits): string | undefined {
  const given = readObject(config, 'imageConfig', 'generationConfig')
  if (given === undefined) return undefined
  const at = 'generationConfig.imageConfig'
  const image = camel(given)
  const ratio = readString(image, 'aspectRatio', at)
  const sizeClass = readString(image, 'imageSize', at)?.toUpperCase()
  if (ratio === undefined && sizeClass === undefined) return undefined
  if (ratio !== undefined && !isAspectRatio(ratio))
    throw wrong(`${at}.aspectRatio`, `${at}.aspectRatio must be one of ${ASPECT_RATIOS.join(', ')}`)
  if (sizeClass !== undefined && !isSizeClass(sizeClass))
    throw wrong(`${at}.imageSize`, `${at}.imageSize must be one of ${SIZE_CLASSES.join(', ')}`)
  return sizeOf(ratio ?? '1:1', sizeClass ?? '1K', limits)
}

/** What was meant for a model of text. */
function droppedFields({ tools, hostedTools, format, sampling, untranslated }: CanonicalRequest): string[] {
  const config = 'generationConfig'
  return [
    ...(tools.length + hostedTools.length > 0 ? ['tools'] : []),
    ...(format.type === 'text' ? [] : [`${config}.responseMimeType`]),
    ...(sampling.stop === undefined ? [] : [`${config}.stopSequences`]),
    ...(sampling.logprobs === undefined ? [] : [`${config}.responseLogprobs`]),
    ...untranslated.filter((field) => !/image_?config$/i.test(field)),
  ]
}
