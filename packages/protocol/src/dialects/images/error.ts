import type { ErrorInfo, RenderedError } from '../../canonical/error.ts'
import { formatSse } from '../../framing/sse.ts'
import {
  type ChatCompatibleError,
  errorObject as chatCompatibleObject,
  encodeError as encodeChatCompatible,
} from '../shared/errors/chat-compatible-error.ts'

export { decodeError } from '../shared/errors/chat-compatible-error.ts'

export function encodeError(error: ErrorInfo, requestId: string): RenderedError {
  return { ...encodeChatCompatible(error, requestId), body: { error: errorObject(error) } }
}

export function encodeStreamError(error: ErrorInfo, _requestId: string): string {
  return formatSse(JSON.stringify({ error: errorObject(error) }), 'error')
}

/** Image models have words of their own for a prompt or an image that their moderation rejects. */
function errorObject(error: ErrorInfo): ChatCompatibleError {
  const object = chatCompatibleObject(error)
  if (error.code !== 'content_policy_violation') return object
  return { ...object, type: 'image_generation_user_error', code: 'moderation_blocked' }
}
