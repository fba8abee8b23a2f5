// The image tool of the responses dialect, as a service that runs the tool itself: an item in the output, and its events.

import type { Head, StreamEvent } from '../dialects/dialect.ts'
import { responses } from '../dialects/responses/index.ts'
import { frameOf } from '../dialects/responses/wire.ts'
import { readDirectives } from '../model/directives.ts'
import { badRequest } from '../request/errors.ts'
import { isObject, type Json, listOf } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'
import { bytesOfDataUrl, readOrder } from './fields.ts'
import { type ImageCall, type ImageOrder, type ImageOutcome, SANDBOX_IMAGE } from './image-call.ts'

type Fields = Record<string, unknown>

/** Undefined: the request is for text. */
export function readImageResponse(bytes: Uint8Array): ImageCall | undefined {
  const body = parseBody(bytes)
  const { model } = body
  if (typeof model !== 'string') return undefined
  const isImageModel = model.split(':', 1)[0] === SANDBOX_IMAGE
  const place = listOf(body.tools).findIndex((tool) => isObject(tool) && tool.type === 'image_generation')
  const tool = listOf(body.tools)[place]
  const { text, image } = inputOf(body.input)
  if (!isImageModel && (!isObject(tool) || !isWanted(body.tool_choice, text))) return undefined
  if (text === '') throw badRequest("Missing required parameter: 'input'.", 'input')
  const fields = isObject(tool) ? tool : {}
  const mask = isObject(fields.input_image_mask) ? bytesOfDataUrl(fields.input_image_mask.image_url) : undefined
  const { n: _, ...settings } = fields
  const order = { ...readOrder(settings, text, `tools[${Math.max(0, place)}].`), source: image, mask }
  const quality = typeof fields.quality === 'string' && fields.quality !== 'auto' ? fields.quality : 'high'
  const answer = (outcome: ImageOutcome, head: Head) => answerOf(outcome, order, head, quality, body)
  return {
    model,
    dialect: responses,
    order,
    delivery: body.stream === true ? 'sse' : 'single',
    fingerprint: new TextDecoder().decode(bytes),
    moderationIsError: true,
    body: (outcome, head) => [JSON.stringify(answer(outcome, head).response('completed'))],
    events: (outcome, head) => events(outcome, answer(outcome, head)),
    wantsUrls: false,
  }
}

/** Forced, or asked for in the prompt. */
function isWanted(choice: unknown, text: string): boolean {
  if (choice === 'none') return false
  if (isObject(choice)) return choice.type === 'image_generation'
  return readDirectives(text, []).draw || /\bimage_generation\b/.test(text)
}

/** The text of the last user message, and the first image in it. */
function inputOf(input: unknown): { text: string; image: Uint8Array<ArrayBuffer> | undefined } {
  if (typeof input === 'string') return { text: input, image: undefined }
  const message = listOf(input).findLast((item) => isObject(item) && item.role === 'user')
  const content = isObject(message) ? message.content : undefined
  if (typeof content === 'string') return { text: content, image: undefined }
  const parts = listOf(content).filter(isObject)
  const texts = parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : []))
  const images = parts.flatMap((part) => bytesOfDataUrl(part.image_url) ?? [])
  return { text: texts.join('\n'), image: images[0] }
}

type Answer = { item: Fields; message: Fields; response(status: 'in_progress' | 'completed'): Fields; details: Fields }

function answerOf(outcome: ImageOutcome, order: ImageOrder, head: Head, quality: string, body: Json): Answer {
  const [image] = outcome.images
  const details = {
    size: image?.size ?? '1024x1024',
    quality,
    background: order.transparent ? 'transparent' : 'opaque',
    output_format: order.format,
  }
  const made = image === undefined ? { status: 'failed', result: null } : { status: 'completed', result: image.base64 }
  const item = {
    id: `ig_${head.id}`,
    type: 'image_generation_call',
    ...made,
    revised_prompt: order.prompt.slice(0, 1_000),
    ...details,
  }
  const text = image === undefined ? '[sandbox] I could not make the image.' : '[sandbox] Here is the image.'
  const message = {
    id: `msg_${head.id}_1`,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
  }
  const response = (status: 'in_progress' | 'completed'): Fields => ({
    id: `resp_${head.id}`,
    object: 'response',
    created_at: head.created,
    status,
    error: null,
    incomplete_details: null,
    model: head.model,
    ...frameOf(body).echo,
    output: status === 'completed' ? [item, message] : [],
    ...(status === 'completed' ? { usage: usageOf(order.prompt, text) } : {}),
  })
  return { item, message, response, details }
}

function usageOf(prompt: string, text: string): Fields {
  const [input, output] = [Math.ceil(Buffer.byteLength(prompt) / 4), Math.ceil(Buffer.byteLength(text) / 4)]
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}

function* events(outcome: ImageOutcome, { item, message, response, details }: Answer): Generator<StreamEvent> {
  let sequence_number = 0
  const event = (type: string, fields: Fields): StreamEvent => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence_number++, ...fields }),
  })
  const at = { item_id: item.id, output_index: 0 }
  const call = 'response.image_generation_call'
  yield event('response.created', { response: response('in_progress') })
  yield event('response.in_progress', { response: response('in_progress') })
  const begun = { id: item.id, type: item.type, status: 'in_progress', result: null }
  yield event('response.output_item.added', { output_index: 0, item: begun })
  yield event(`${call}.in_progress`, at)
  yield event(`${call}.generating`, at)
  for (const [partial_image_index, partial_image_b64] of (outcome.images[0]?.partials ?? []).entries())
    yield event(`${call}.partial_image`, { ...at, partial_image_index, partial_image_b64, ...details })
  if (outcome.images.length > 0) yield event(`${call}.completed`, at)
  yield event('response.output_item.done', { output_index: 0, item })
  yield* messageEvents(message, event)
  yield event('response.completed', { response: response('completed') })
}

function* messageEvents(message: Fields, event: (type: string, fields: Fields) => StreamEvent): Generator<StreamEvent> {
  const [part] = listOf(message.content).filter(isObject)
  const at = { item_id: message.id, output_index: 1, content_index: 0 }
  const text = part?.text
  yield event('response.output_item.added', {
    output_index: 1,
    item: { ...message, status: 'in_progress', content: [] },
  })
  yield event('response.content_part.added', { ...at, part: { ...part, text: '' } })
  yield event('response.output_text.delta', { ...at, delta: text, logprobs: [] })
  yield event('response.output_text.done', { ...at, text, logprobs: [] })
  yield event('response.content_part.done', { ...at, part })
  yield event('response.output_item.done', { output_index: 1, item: message })
}
