// The events of an images upstream: image_generation.* and image_edit.*, which have the same fields.

import { errorInfo } from '../../../canonical/error.ts'
import type { ImageDetails } from '../../../canonical/image.ts'
import type { Codec } from '../../../framing/codec.ts'
import { parseThin, type ThinJson, wholeJson } from '../../../framing/json/thin-json.ts'
import type { Pieces } from '../../../framing/splice.ts'
import type { ThinEvent } from '../../../framing/thin-events.ts'
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
  return openImageEvents(emit, codec, limit, (event, thin, deliver, whole) => {
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
    const details = decodeDetails(object)
    const isComplete = image?.base64 && image.url === undefined && created !== undefined && hasAll(details)
    const raw = isComplete && event === type && thin.bytes.indexOf(LINE_FEED) < 0 ? rawOf(whole, codec) : undefined
    const shared = {
      details,
      unknown: object.unknown(EVENT_FIELDS),
      ...(created === undefined ? {} : { created }),
    }
    if (type.endsWith('.completed')) {
      partials = 0
      if (image === undefined) return
      const { usage, usageJson } = decodeUsageFields(object)
      const completed = { type: 'completed' as const, image: { ...image, unknown: [] }, ...shared, usage }
      return deliver(usageJson ? { ...completed, usageJson, ...(raw ? { raw } : {}) } : completed)
    }
    if (image === undefined) return
    const told = timeOf(object.value('partial_image_index'))
    const index = told ?? partials
    partials = index + 1
    const partial = { type: 'partial' as const, index, image: { ...image, unknown: [] }, ...shared }
    deliver(raw && told !== undefined ? { ...partial, raw } : partial)
  })
}

/** Clients demand all of them. */
const hasAll = ({ size, quality, background, outputFormat }: ImageDetails): boolean =>
  [size, quality, background, outputFormat].every((word) => word !== undefined)

function rawOf({ event, data, before, after }: ThinEvent, codec: Codec): Pieces {
  const lineEnd = after.slice(after.length / 2)
  const head = codec.encode(`event: ${event}${lineEnd}${before}`)
  return [head, ...wholeJson(data, 0, data.bytes.length), codec.encode(after)]
}

const LINE_FEED = 0x0a

const notJson = () => ({
  type: 'error' as const,
  error: errorInfo('upstream_error', 'The upstream sent an event that is not JSON.'),
})

/** Not needed in this dialect, and ignored where it is sent. */
const isDone = ({ bytes }: ThinJson, codec: Codec): boolean =>
  bytes.length < 16 && codec.decode(bytes, 0, bytes.length).trim() === '[DONE]'
