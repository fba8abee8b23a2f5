// The JSON body of POST /v1/images/generations.

import type { ImageRequest, UnknownField } from '../../../canonical/image.ts'
import { RequestError, wrong } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { JsonField } from '../../../framing/json/json-scan.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { scanBody } from '../../shared/pass-through/request.ts'
import { FIELD_TYPES, isFieldName, readFields } from './fields.ts'

const NAMES = knownNames(namesOf(FIELD_TYPES), {})

/** Only known fields are parsed; the bytes are kept for upstreams of the same dialect. Throws RequestError. */
export function decodeImageRequest(bytes: Uint8Array, codec: Codec): ImageRequest {
  const { fields, close } = scanBody(bytes, codec, NAMES)
  const values: Record<string, unknown> = {}
  const unknown: UnknownField[] = []
  for (const field of fields) {
    const { name, start, end } = field
    const text = codec.decode(bytes, start, end)
    if (isFieldName(name)) values[name] = parsedField(field, text)
    else {
      rejectImages(name)
      unknown.push({ name, text })
    }
  }
  return { operation: 'generate', ...readFields(values), images: [], unknown, json: { bytes, fields, close } }
}

function parsedField({ name, start }: JsonField, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestError('bad_request', name, `The body has a mistake in ${name} (byte ${start})`)
  }
}

/** Dropping them would answer another question than the caller asked. */
function rejectImages(name: string): void {
  if (name === 'image' || name === 'images' || name === 'mask')
    throw wrong(name, `${name} is not a field of image generations. Send images to POST /v1/images/edits.`)
}
