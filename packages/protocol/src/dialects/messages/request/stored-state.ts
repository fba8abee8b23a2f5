// Requests that depend on a conversation kept at the vendor.

import { isObject, unsupported } from '../../../canonical/reading.ts'

/**
 * Only the newest turn of a conversation is sent where the vendor keeps the rest, without which any answer would be wrong. Throws
 * RequestError. To be called before it is translated.
 */
export function rejectStored(body: unknown): void {
  const thread = isObject(body) && isObject(body.thread) ? body.thread : {}
  if (typeof thread.previous_message_id === 'string' && thread.previous_message_id !== '')
    throw unsupported('thread', 'thread is not available for this model: send the whole conversation.')
}
