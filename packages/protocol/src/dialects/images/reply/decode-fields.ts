// What replies and events of the images dialect have in common: fields that are known, and those that are unknown.

import type { ImageDetails, RawField, ReplyImage } from '../../../canonical/image.ts'
import { withoutUndefined } from '../../../canonical/reading.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type JsonField, scanObject } from '../../../framing/json/json-scan.ts'
import { type ThinJson, wholeJson } from '../../../framing/json/thin-json.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { base64Of } from '../../shared/images/base64.ts'
import { decodeUsage } from '../../shared/images/usage.ts'

export type ScannedObject = {
  fields: readonly JsonField[]
  /** The parsed value of a field, long strings as placeholders; undefined when it is absent. */
  value(name: string): unknown
  json(name: string): Pieces | undefined
  unknown(known: ReadonlySet<string>): RawField[]
}

/** The object at `start` to `end` of a thin text; undefined when it is none. */
export function scannedObject(thin: ThinJson, start: number, end: number, codec: Codec): ScannedObject | undefined {
  const scan = scanObject(thin.bytes.subarray(start, end), codec)
  if (!scan.ok) return undefined
  const found = new Map(scan.fields.map((field) => [field.name, field]))
  const rawOf = (field: JsonField) => wholeJson(thin, start + field.start, start + field.end)
  return {
    fields: scan.fields,
    value(name) {
      const field = found.get(name)
      return field === undefined ? undefined : parsed(codec.decode(thin.bytes, start + field.start, start + field.end))
    },
    json(name) {
      const field = found.get(name)
      return field === undefined ? undefined : rawOf(field)
    },
    unknown: (known) =>
      scan.fields.filter(({ name }) => !known.has(name)).map((field) => ({ name: field.name, json: rawOf(field) })),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function decodeImage(
  thin: ThinJson,
  object: ScannedObject,
  codec: Codec,
  known: ReadonlySet<string>,
): ReplyImage | undefined {
  const base64 = base64Of(thin, object.value('b64_json'), codec)
  const url = textOf(object.value('url'))
  if (base64 === undefined && url === undefined) return undefined
  const revisedPrompt = wholeText(object, 'revised_prompt', codec)
  return withoutUndefined<ReplyImage>({
    base64,
    url,
    revisedPrompt,
    mediaType: undefined,
    unknown: object.unknown(known),
  })
}

/** A prompt may be long enough to have been taken out of the thin text. */
function wholeText(object: ScannedObject, name: string, codec: Codec): string | undefined {
  const json = object.json(name)
  if (json === undefined) return undefined
  return textOf(parsed(json.map((piece) => codec.decode(piece, 0, piece.length)).join('')))
}

export function decodeDetails(object: ScannedObject): ImageDetails {
  return withoutUndefined<ImageDetails>({
    size: textOf(object.value('size')),
    quality: textOf(object.value('quality')),
    background: textOf(object.value('background')),
    outputFormat: textOf(object.value('output_format')),
  })
}

/** `usageJson` only where there is an object: null says nothing. */
export function decodeUsageFields(object: ScannedObject): { usage: Usage | undefined; usageJson?: Pieces } {
  const value = object.value('usage')
  const json = typeof value === 'object' && value !== null ? object.json('usage') : undefined
  return { usage: decodeUsage(value), ...(json === undefined ? {} : { usageJson: json }) }
}

export const timeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
