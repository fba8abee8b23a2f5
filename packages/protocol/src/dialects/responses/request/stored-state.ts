// Requests that lean on something kept elsewhere: an earlier response, a conversation, a template. The model would see
// less than the caller means, so such a request can only pass through to an upstream that keeps these things itself.

import { isObject, type Json, RequestError, unsupported } from '../../../canonical/reading.ts'

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== false

/** An item of an earlier response, named by its id. It may leave out its type; an image may leave out its bytes. */
export const isReference = (item: Json): boolean =>
  item.type === 'item_reference' ||
  (!isGiven(item.type) && !isGiven(item.role) && typeof item.id === 'string') ||
  isImageReference(item)

/**
 * Clients send an image of an earlier response without its bytes, as the vendor's guide to editing shows. One that failed has
 * none, and stands for itself.
 */
export function isImageReference({ type, id, result, status }: Json): boolean {
  if (type !== 'image_generation_call' || typeof id !== 'string' || id === '' || status === 'failed') return false
  return typeof result !== 'string' || result === ''
}

/** The id that the gateway gave to a reasoning item, which no upstream knows. */
const OWN_REASONING_ID = /^rs_[0-9a-f]{16}_/

export const hasOwnReasoningId = ({ id }: Json): boolean => typeof id === 'string' && OWN_REASONING_ID.test(id)

/** Reasoning that another upstream returned as text: a vendor would look its id up and reject it. */
export const isForeignReasoning = (item: Json): boolean =>
  item.type === 'reasoning' && hasOwnReasoningId(item) && !isText(item.encrypted_content)

/**
 * Names an item of a stored response: by a reference, or by the id of reasoning without its encrypted form, which a client only gets
 * if it asks for it. Reasoning that is not found stands for itself.
 */
export const namesStored = (item: Json): boolean =>
  isReference(item) || (item.type === 'reasoning' && typeof item.id === 'string' && !isText(item.encrypted_content))

/** Whether an item has reasoning that can be read, as a summary or in full. */
export const hasReasoningText = ({ summary, content }: Json, kinds: readonly unknown[] = [summary, content]): boolean =>
  kinds.some((parts) => Array.isArray(parts) && parts.some((part) => isObject(part) && isText(part.text)))

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/**
 * A reference to reasoning. Clients that believe their responses to be stored send one with every tool result; the
 * model can go on without it, so it may be dropped.
 */
export const isReasoningReference = (item: Json): boolean =>
  isReference(item) && typeof item.id === 'string' && item.id.startsWith('rs_')

/** Throws RequestError if the request cannot be understood from its own text. To be called before it is translated. */
export function rejectStored(body: unknown): void {
  if (!isObject(body)) return
  if (isGiven(body.previous_response_id)) throw notFound('previous_response_id', 'The previous response was not found.')
  for (const [index, item] of (Array.isArray(body.input) ? body.input : []).entries()) {
    if (isObject(item) && isReference(item) && !isReasoningReference(item)) {
      throw notFound(`input[${index}].id`, 'The item that is referred to was not found.')
    }
  }
  for (const field of ['conversation', 'prompt', 'background']) {
    if (isGiven(body[field])) throw unsupported(field, INSTEAD[field] ?? `${field} is not available for this model`)
  }
}

/** What to use instead of fields that are not available. */
export const INSTEAD: Readonly<Record<string, string>> = {
  background: 'background is not available here. Leave it out.',
  conversation: 'Conversation objects are not available. Continue a stored response with previous_response_id instead.',
}

const notFound = (param: string, message: string): RequestError =>
  new RequestError('previous_response_not_found', param, message)
