// Images in a streamed response. The last event repeats every image: those that were delivered are not delivered again.

import { errorInfo } from '../../../canonical/error.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { parseThin, type ThinJson } from '../../../framing/json/thin-json.ts'
import type { EmitImage, ImageStreamDecoder } from '../../image-service.ts'
import { base64Of } from '../../shared/images/base64.ts'
import { openImageEvents } from '../../shared/images/image-events.ts'
import { decodeError } from '../error.ts'
import { decodeDetails, decodeItem, decodeResponseUsage, withoutImage } from './decode-item.ts'

export function openStreamDecoder(emit: EmitImage, codec: Codec, limit?: number): ImageStreamDecoder {
  let images = 0

  function deliverItem(item: unknown, thin: ThinJson, deliver: EmitImage): void {
    const decoded = decodeItem(item, thin, codec)
    if (decoded === undefined) return
    images++
    deliver({ type: 'completed', ...decoded, usage: undefined, unknown: [] })
  }

  function finish(response: Json, thin: ThinJson, deliver: EmitImage): void {
    if (images === 0)
      for (const item of Array.isArray(response.output) ? response.output : []) deliverItem(item, thin, deliver)
    const usage = decodeResponseUsage(response)
    if (images > 0 && usage !== undefined) deliver({ type: 'usage', usage })
    deliver(images > 0 ? { type: 'end' } : { type: 'error', error: withoutImage(response) })
  }

  return openImageEvents(emit, codec, limit, (name, thin, deliver) => {
    const event = parseThin(thin, codec)
    if (!isObject(event)) {
      if (thin.bytes.length < 16 && codec.decode(thin.bytes, 0, thin.bytes.length).trim() === '[DONE]') return
      const error = errorInfo('upstream_error', 'The upstream sent an event that is not JSON.')
      return deliver({ type: 'error', error })
    }
    switch (event.type ?? name) {
      case 'response.image_generation_call.partial_image': {
        const base64 = base64Of(thin, event.partial_image_b64, codec)
        const index = typeof event.partial_image_index === 'number' ? event.partial_image_index : 0
        if (base64 !== undefined)
          deliver({
            type: 'partial',
            index,
            image: { base64, unknown: [] },
            details: decodeDetails(event),
            unknown: [],
          })
        return
      }
      case 'response.output_item.done':
        return deliverItem(event.item, thin, deliver)
      case 'response.completed':
      case 'response.incomplete':
        return finish(isObject(event.response) ? event.response : {}, thin, deliver)
      case 'response.failed':
      case 'error':
        return deliver({ type: 'error', error: decodeError(200, event) })
      default:
        if (event.type === undefined && event.error !== undefined)
          deliver({ type: 'error', error: decodeError(200, event) })
    }
  })
}
