import type { Base64, RawField } from '../../../canonical/image.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import type { JsonPieces } from './json-pieces.ts'

export function writeBase64(writer: JsonPieces, { pieces }: Base64): void {
  writer.text('"b64_json":"')
  writer.raw(pieces)
  writer.text('"')
}

export function writeUnknown(writer: JsonPieces, fields: readonly RawField[]): void {
  for (const { name, json } of fields) {
    writer.text(`,${jsonText(name)}:`)
    writer.raw(json)
  }
}
