// The JSON reply of an images upstream. Its images are never made into text: see framing/json/thin-json.ts.

import { errorInfo } from '../../../canonical/error.ts'
import type { DecodedImageReply, ReplyImage } from '../../../canonical/image.ts'
import type { Codec } from '../../../framing/codec.ts'
import { elementsOf } from '../../../framing/json/edit-fields.ts'
import { fieldNamed } from '../../../framing/json/json-scan.ts'
import { parseThin, type ThinJson, wholeJson } from '../../../framing/json/thin-json.ts'
import { decodeError } from '../error.ts'
import { decodeDetails, decodeImage, decodeUsageFields, scannedObject, timeOf } from './decode-fields.ts'

const REPLY_FIELDS = new Set(['created', 'data', 'usage', 'size', 'quality', 'background', 'output_format'])
const IMAGE_FIELDS = new Set(['b64_json', 'url', 'revised_prompt'])

export function decodeReply(thin: ThinJson, codec: Codec): DecodedImageReply {
  const object = scannedObject(thin, 0, thin.bytes.length, codec)
  if (object === undefined) {
    const message = 'The upstream answered with something that is not JSON.'
    return { ok: false, error: errorInfo('upstream_error', message) }
  }
  const data = fieldNamed(object.fields, 'data')
  const failure = object.value('error')
  if (data?.kind !== 'array' && failure !== undefined && failure !== null)
    return { ok: false, error: decodeError(200, parseThin(thin, codec)) }
  const images: ReplyImage[] = []
  if (data?.kind === 'array') {
    for (const { start, end } of elementsOf(thin.bytes, data.start, data.end)) {
      const element = scannedObject(thin, start, end, codec)
      const image = element && decodeImage(thin, element, codec, IMAGE_FIELDS)
      if (image !== undefined) images.push(image)
    }
  }
  if (images.length === 0) return { ok: false, error: noImage(object.value('usage')) }
  const created = timeOf(object.value('created'))
  const isComplete = created !== undefined && images.every(({ base64, url }) => base64 && url === undefined)
  return {
    ok: true,
    reply: {
      images,
      details: decodeDetails(object),
      ...decodeUsageFields(object),
      ...(created === undefined ? {} : { created }),
      unknown: object.unknown(REPLY_FIELDS),
      ...(isComplete ? { raw: wholeJson(thin, 0, thin.bytes.length) } : {}),
    },
  }
}

function noImage(usage: unknown) {
  const billed = typeof usage === 'object' && usage !== null
  return errorInfo('upstream_no_image', 'The upstream answered without an image.', billed ? { billed: true } : {})
}
