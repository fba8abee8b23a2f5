// The images dialect: POST /v1/images/generations (JSON) and POST /v1/images/edits (a form), and their answers.

import { bodyOfError, ERROR_KINDS } from '../dialects/chat-compatible-error.ts'
import type { Head, SandboxDialect, StreamEvent } from '../dialects/dialect.ts'
import { badRequest, SandboxError, type SandboxErrorInfo } from '../request/errors.ts'
import type { Json } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import { readOrder } from './fields.ts'
import type { ImageCall, ImageOrder, ImageOutcome } from './image-call.ts'

const errorBody = (info: SandboxErrorInfo) => bodyOfError(info, ERROR_KINDS)

/** Errors and malformed events; requests are decoded by the functions below. */
export const images: SandboxDialect = {
  decode: () => {
    throw new SandboxError({ status: 404, message: 'Invalid URL', code: 'unknown_url' })
  },
  errorBody,
  errorEvent: (info) => ({ event: 'error', data: JSON.stringify(errorBody(info)) }),
  garbage: { event: 'image_generation.partial_image', data: '{"type":"image_generation.partial_image","b64_js' },
  huge: {
    event: 'image_generation.partial_image',
    before: '{"type":"image_generation.partial_image","partial_image_index":0,"b64_json":"',
    after: '","created_at":0,"size":"1024x1024","quality":"high","background":"opaque","output_format":"png"}',
  },
  requestIdHeader: 'x-request-id',
}

/** Fields of a real service; others are rejected, as it does. */
const FIELDS = new Set([
  'model',
  'prompt',
  'n',
  'size',
  'quality',
  'background',
  'output_format',
  'output_compression',
  'moderation',
  'style',
  'response_format',
  'user',
  'partial_images',
  'stream',
  'input_fidelity',
])

export function readGeneration(bytes: Uint8Array): ImageCall {
  return callOf(parseBody(bytes), 'image_generation', new TextDecoder().decode(bytes))
}

/** 16 images of 50 MB each. */
export const MOST_FORM_BYTES = 1024 * 1024 * 1024
const IMAGE_NAME = /^image(\[\d*\])?$/

export async function readEdit(request: Request): Promise<ImageCall> {
  const form = await formOf(request)
  const fields: Record<string, unknown> = {}
  const files: Record<'image' | 'mask', Uint8Array<ArrayBuffer>[]> = { image: [], mask: [] }
  for (const [name, value] of form) {
    const field = name === 'mask' ? 'mask' : IMAGE_NAME.test(name) ? 'image' : undefined
    if (field === undefined) fields[name] = typeof value === 'string' ? typed(name, value) : undefined
    else if (typeof value === 'string') throw badRequest(`Invalid type for '${field}': expected a file.`, field)
    else files[field].push(new Uint8Array(await value.arrayBuffer()))
  }
  const [source] = files.image
  if (source === undefined) throw badRequest("Missing required parameter: 'image'.", 'image')
  const call = callOf(fields, 'image_edit', JSON.stringify(fields) + source.length)
  return { ...call, order: { ...call.order, source, mask: files.mask[0] } }
}

async function formOf(request: Request): Promise<[string, string | Blob][]> {
  if (!/^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? ''))
    throw new SandboxError({ status: 415, message: 'Unsupported content type: expected multipart/form-data.' })
  if (Number(request.headers.get('content-length') ?? 0) > MOST_FORM_BYTES)
    throw new SandboxError({ status: 413, message: 'The form is too large.' })
  try {
    return [...(await request.formData())]
  } catch {
    throw badRequest('We could not parse the form of your request.')
  }
}

/** Form fields are text. */
function typed(name: string, value: string): unknown {
  if (['n', 'partial_images', 'output_compression'].includes(name)) return /^\d+$/.test(value) ? Number(value) : value
  return name === 'stream' ? value === 'true' : value
}

type Kind = 'image_generation' | 'image_edit'

function callOf(fields: Json, kind: Kind, fingerprint: string): ImageCall {
  const { model, prompt } = fields
  for (const name of Object.keys(fields))
    if (!FIELDS.has(name)) throw badRequest(`Unknown parameter: '${name}'.`, name, 'unknown_parameter')
  if (typeof model !== 'string' || model === '') throw badRequest("Missing required parameter: 'model'.", 'model')
  if (typeof prompt !== 'string' || prompt === '') throw badRequest("Missing required parameter: 'prompt'.", 'prompt')
  const order = readOrder(fields, prompt)
  const quality = typeof fields.quality === 'string' && fields.quality !== 'auto' ? fields.quality : 'high'
  return {
    model,
    dialect: images,
    order,
    delivery: fields.stream === true ? 'sse' : 'single',
    fingerprint,
    moderationIsError: true,
    body: (outcome, head, urls) => replyPieces(outcome, order, head, quality, urls),
    events: (outcome, head) => imageEvents(outcome, order, head, { kind, quality }),
    wantsUrls: fields.response_format === 'url',
  }
}

const detailsOf = ({ transparent, format, size }: ImageOrder, quality: string, real: string | undefined) => ({
  size: size === undefined ? real : `${size.width}x${size.height}`,
  quality,
  background: transparent ? 'transparent' : 'opaque',
  output_format: format,
})

function* replyPieces(
  { images: rendered }: ImageOutcome,
  order: ImageOrder,
  { created }: Head,
  quality: string,
  urls: readonly string[] | undefined,
): Generator<string> {
  const head = { created, ...detailsOf(order, quality, rendered[0]?.size ?? '1024x1024') }
  yield `${JSON.stringify(head).slice(0, -1)},"data":[`
  for (const [index, { base64 }] of rendered.entries()) {
    yield index === 0 ? '{' : ',{'
    yield urls === undefined ? `"b64_json":"${base64}"` : `"url":${JSON.stringify(urls[index])}`
    yield '}'
  }
  yield ']}'
}

function* imageEvents(
  { images: rendered }: ImageOutcome,
  order: ImageOrder,
  { created: created_at }: Head,
  { kind, quality }: { kind: Kind; quality: string },
): Generator<StreamEvent> {
  for (const { base64, partials, size } of rendered) {
    const details = { created_at, ...detailsOf(order, quality, size) }
    for (const [partial_image_index, b64_json] of partials.entries()) {
      const type = `${kind}.partial_image`
      yield { event: type, data: JSON.stringify({ type, b64_json, partial_image_index, ...details }) }
    }
    const type = `${kind}.completed`
    yield { event: type, data: JSON.stringify({ type, b64_json: base64, ...details }) }
  }
}
