// The body of POST /v1/moderations, which is passed on with another model.

import { asObject, asString, isObject, type Json, readName, readObject, wrong } from '../../../canonical/reading.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields, type Fields } from '../../../framing/json/edit-fields.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { ownFields, type ServiceFields } from '../../shared/pass-through/service-fields.ts'
import { unknownFields } from '../pass-through/vendor-fields.ts'

export type ModerationRequest = ServiceFields & {
  /** Empty: the caller names none. */
  model: string
  /** Texts and images. */
  inputs: number
  /** UTF-8 bytes of all texts. */
  textBytes: number
  images: number
  bytes: Uint8Array
  fields: Fields
  /** JSON values of the body. */
  values: number
}

const FIELDS = { model: 1, input: 1 }
const NAMES = knownNames(namesOf(FIELDS), {})

/** Throws RequestError. */
export function decodeModerationRequest(
  bytes: Uint8Array,
  codec: Codec,
  { mostInputs, maxValues }: { mostInputs: number; maxValues: number },
): ModerationRequest {
  const { body, scan } = readBody(bytes, codec, NAMES, maxValues)
  const { input } = body
  const items: readonly unknown[] = Array.isArray(input) ? input : [input]
  if (input === undefined || input === null || items.length === 0) throw wrong('input', 'input is required')
  if (items.length > mostInputs) throw wrong('input', `input must not have more than ${mostInputs} texts and images`)
  const unknown = unknownFields(body, FIELDS)
  const request = { textBytes: 0, images: 0, urls: [...unknown.urls] }
  for (const [index, item] of items.entries()) {
    const at = Array.isArray(input) ? `input[${index}]` : 'input'
    if (typeof item === 'string') request.textBytes += utf8Length(item)
    else if (isObject(item)) readPart(item, at, request)
    else throw wrong(at, `${at} must be a string${Array.isArray(input) ? ' or an object' : ' or an array'}`)
  }
  return {
    ...unknown,
    model: readName(body, 'model') ?? '',
    inputs: items.length,
    bytes,
    fields: scan,
    values: scan.values,
    ...request,
  }
}

type Counted = { textBytes: number; images: number; urls: { field: string; url: string }[] }

function readPart(part: Json, at: string, counted: Counted): void {
  if (part.type === 'text') counted.textBytes += utf8Length(asString(part.text, `${at}.text`))
  else if (part.type === 'image_url') {
    const field = `${at}.image_url.url`
    const url = asString(asObject(readObject(part, 'image_url', at), `${at}.image_url`).url, field)
    counted.images++
    counted.urls.push({ field, url })
  } else throw wrong(`${at}.type`, `${at}.type must be one of text, image_url`)
}

/** The same bytes with the model as the upstream calls it. */
export const encodeModerationRequest = (
  { bytes, fields, unpriced, ...request }: ModerationRequest,
  model: string,
  codec: Codec,
): Pieces => {
  const remove = [...unpriced, ...ownFields(request)]
  return editFields(bytes, fields, { set: [{ name: 'model', json: jsonText(model) }], remove }, codec)
}
