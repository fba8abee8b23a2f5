// The events of an images upstream: image_generation.* and image_edit.*, which have the same fields.

import { errorInfo } from '../../../canonical/error.ts'
import type { Codec } from '../../../framing/codec.ts'
import { parseThin, type ThinJson } from '../../../framing/json/thin-json.ts'
import type { EmitImage, ImageStreamDecoder } from '../../image-service.ts'
import { inVendorWords } from '../../shared/errors/upstream-error.ts'
import { openImageEvents } from '../../shared/images/image-events.ts'
import { decodeError } from '../error.ts'
import { decodeDetails, decodeImage, decodeUsageFields, scannedObject, timeOf } from './decode-fields.ts'

const EVENT_FIELDS = new Set([
  'type',
  'b64_json',
  'url',
  'revised_prompt',
  'partial_image_index',
  'created_at',
  'created',
  'size',
  'quality',
  'background',
  'output_format',
  'usage',
])

export function openStreamDecoder(emit: EmitImage, codec: Codec, limit?: number): ImageStreamDecoder {
  let partials = 0
  return openImageEvents(emit, codec, limit, (event, thin, deliver) => {
    const object = scannedObject(thin, 0, thin.bytes.length, codec)
    if (object === undefined) return isDone(thin, codec) ? undefined : deliver(notJson())
    const type = object.value('type') ?? event
    const failure = object.value('error')
    if (type === 'error' || (failure !== undefined && failure !== null)) {
      const said = parseThin(thin, codec)
      return deliver({ type: 'error', error: inVendorWords(decodeError(200, said), said) })
    }
    if (typeof type !== 'string' || !/\.(partial_image|completed)$/.test(type)) return
    const image = decodeImage(thin, object, codec, EVENT_FIELDS)
    const created = timeOf(object.value('created_at') ?? object.value('created'))
    const shared = {
      details: decodeDetails(object),
      unknown: object.unknown(EVENT_FIELDS),
      ...(created === undefined ? {} : { created }),
    }
    if (type.endsWith('.completed')) {
      partials = 0
      if (image === undefined) return
      return deliver({ type: 'completed', image: { ...image, unknown: [] }, ...shared, ...decodeUsageFields(object) })
    }
    if (image === undefined) return
    const index = timeOf(object.value('partial_image_index')) ?? partials
    partials = index + 1
    deliver({ type: 'partial', index, image: { ...image, unknown: [] }, ...shared })
  })
}

const notJson = () => ({
  type: 'error' as const,
  error: errorInfo('upstream_error', 'The upstream sent an event that is not JSON.'),
})

/** Not needed in this dialect, and ignored where it is sent. */
const isDone = ({ bytes }: ThinJson, codec: Codec): boolean =>
  bytes.length < 16 && codec.decode(bytes, 0, bytes.length).trim() === '[DONE]'
