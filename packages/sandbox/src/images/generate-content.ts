// The image model in the generate-content dialect: inline data in its only candidate.

import type { Head, StreamEvent } from '../dialects/dialect.ts'
import { generateContent } from '../dialects/generate-content/index.ts'
import { badRequest } from '../request/errors.ts'
import { isObject, type Json, listOf } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import { bytesOfBase64, readOrder } from './fields.ts'
import type { ImageCall, ImageOrder, ImageOutcome } from './image-call.ts'

const RATIO = /^(\d{1,2}):(\d{1,2})$/
const LONG_SIDES: Readonly<Record<string, number>> = { '1K': 1_024, '2K': 2_048 }

/** `model` of the path. */
export function readImageContent(bytes: Uint8Array, url: URL, model: string): ImageCall {
  const body = parseBody(bytes)
  const config = fieldOf(body, 'generationConfig', 'generation_config')
  const { texts, image } = contentsOf(body)
  if (texts.length === 0) throw badRequest('contents: expected text that says what the image is to show.', 'contents')
  const order = { ...readOrder({}, texts.join('\n')), size: sizeOf(config), source: image }
  const isStream = url.pathname.endsWith(':streamGenerateContent')
  return {
    model,
    dialect: generateContent,
    order,
    delivery: isStream ? (url.searchParams.get('alt') === 'json' ? 'array' : 'sse') : 'single',
    fingerprint: new TextDecoder().decode(bytes),
    moderationIsError: false,
    body: (outcome, head) => [chunkOf(outcome, order, head, true)],
    events: (outcome, head) => chunks(outcome, order, head),
    wantsUrls: false,
  }
}

function fieldOf(from: Json, camel: string, snake: string): Json {
  const value = from[camel] ?? from[snake]
  return isObject(value) ? value : {}
}

function contentsOf(body: Json): { texts: string[]; image: Uint8Array<ArrayBuffer> | undefined } {
  const texts: string[] = []
  let image: Uint8Array<ArrayBuffer> | undefined
  const contents = isObject(body.contents) ? [body.contents] : listOf(body.contents)
  for (const content of contents.filter(isObject)) {
    const parts = isObject(content.parts) ? [content.parts] : listOf(content.parts)
    for (const part of parts.filter(isObject)) {
      if (typeof part.text === 'string' && content.role !== 'model') texts.push(part.text)
      const { data } = fieldOf(part, 'inlineData', 'inline_data')
      if (typeof data === 'string') image ??= bytesOfBase64(data)
    }
  }
  return { texts, image }
}

function sizeOf(config: Json): ImageOrder['size'] {
  const image = fieldOf(config, 'imageConfig', 'image_config')
  const [ratio, name] = [image.aspectRatio ?? image.aspect_ratio, image.imageSize ?? image.image_size]
  if (ratio === undefined && name === undefined) return undefined
  const match = RATIO.exec(String(ratio ?? '1:1'))
  const long = LONG_SIDES[String(name ?? '1K')]
  if (match === null)
    throw badRequest(`Invalid aspect ratio '${String(ratio)}'.`, 'generationConfig.imageConfig.aspectRatio')
  if (long === undefined)
    throw badRequest(`Invalid image size '${String(name)}'.`, 'generationConfig.imageConfig.imageSize')
  const [wide, high] = [Number(match[1]), Number(match[2])]
  const largest = Math.max(wide, high)
  return { width: Math.round((long * wide) / largest), height: Math.round((long * high) / largest) }
}

function chunkOf({ images, moderated }: ImageOutcome, { format }: ImageOrder, head: Head, isLast: boolean): string {
  const finish = moderated ? 'IMAGE_SAFETY' : images.length === 0 ? 'NO_IMAGE' : 'STOP'
  const parts = images.map(({ base64 }) => ({ inlineData: { mimeType: `image/${format}`, data: base64 } }))
  const content =
    images.length === 0 ? { content: { parts: [], role: 'model' } } : { content: { parts, role: 'model' } }
  return JSON.stringify({
    candidates: [{ ...content, ...(isLast ? { finishReason: finish } : {}), index: 0 }],
    modelVersion: head.model,
    responseId: head.id,
  })
}

/** The image, then the end: as a real service sends them apart. */
function* chunks(outcome: ImageOutcome, order: ImageOrder, head: Head): Generator<StreamEvent> {
  if (outcome.images.length > 0) yield { data: chunkOf(outcome, order, head, false) }
  const candidate = JSON.parse(chunkOf({ ...outcome, images: [] }, order, head, true))
  if (outcome.images.length > 0) candidate.candidates[0].finishReason = 'STOP'
  yield { data: JSON.stringify(candidate) }
}
