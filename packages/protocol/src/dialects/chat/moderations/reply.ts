// The response of a moderation, which is passed on with the caller's name of the model.

import type { ErrorInfo } from '../../../canonical/error.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, scanObject } from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { decodeError } from '../error.ts'

/** undefined: not reported. */
export type ModerationReply = { model: string | undefined; tokens: number | undefined }

/** undefined: it is no moderation. */
export function decodeModerationReply(
  bytes: Uint8Array,
  codec: Codec,
): ModerationReply | { error: ErrorInfo } | undefined {
  const body = parsedJson(codec.decode(bytes, 0, bytes.length))
  const reply: Json = isObject(body) ? body : {}
  if (!Array.isArray(reply.results)) return reply.error === undefined ? undefined : { error: decodeError(200, body) }
  const { prompt_tokens: prompt, total_tokens: total = prompt } = isObject(reply.usage) ? reply.usage : {}
  return {
    model: typeof reply.model === 'string' ? reply.model : undefined,
    tokens: typeof total === 'number' && Number.isInteger(total) && total >= 0 ? total : undefined,
  }
}

export function encodeModerationReply(bytes: Uint8Array, model: string, codec: Codec): Pieces {
  const scan = scanObject(bytes, codec)
  if (!scan.ok || fieldNamed(scan.fields, 'model') === undefined) return [bytes]
  return editFields(bytes, scan, { set: [{ name: 'model', json: jsonText(model) }], remove: [] }, codec)
}
