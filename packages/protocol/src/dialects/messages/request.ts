// A request, both ways.

import { isObject, unsupported } from '../../canonical/reading.ts'
import type { FieldNames } from '../../canonical/warning.ts'

export { decodeRequest } from './request/decode-request.ts'
export { encodeRequest } from './request/encode-request.ts'

export const fieldNames: FieldNames = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop_sequences',
  tier: 'service_tier',
  endUser: 'metadata.user_id',
  tools: 'tools',
  toolChoice: 'tool_choice',
  parallelCalls: 'tool_choice.disable_parallel_tool_use',
  format: 'output_config.format',
  reasoning: 'thinking',
  turns: 'messages',
  arguments: 'messages',
}

/**
 * Of a conversation that the vendor keeps only the newest turn is sent: without the rest any answer would be wrong. Throws
 * Mistake. To be called before it is translated.
 */
export function refuseStored(body: unknown): void {
  const thread = isObject(body) && isObject(body.thread) ? body.thread : {}
  if (typeof thread.previous_message_id === 'string' && thread.previous_message_id !== '')
    throw unsupported('thread', 'thread is not available for this model: send the whole conversation.')
}
