// Encrypted reasoning is stored with a response, so that it can be continued. A client that did not ask for it does not get it.

import type { Codec } from '../../../framing/codec.ts'
import { editElements, editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonScan, scanObject } from '../../../framing/json/json-scan.ts'
import { concat } from '../../../framing/relay.ts'

const FIELD = 'encrypted_content'
const MARK = `"${FIELD}"`

/** `text`: a response, or whole events of its stream. The same text if there is nothing to hide. */
export function hideEncrypted(text: string, codec: Codec): string {
  if (!text.includes(MARK)) return text
  if (text.trimStart().startsWith('{')) return decoded(hideInResponse(codec.encode(text), codec), codec)
  const lines = text
    .split('\n')
    .map((line) => (line.startsWith('data:') && line.includes(MARK) ? inEvent(line, codec) : line))
  return lines.join('\n')
}

const decoded = (bytes: Uint8Array, codec: Codec): string => codec.decode(bytes, 0, bytes.length)

/** `line`: the data of an event that has an item, or a response. */
function inEvent(line: string, codec: Codec): string {
  const data = codec.encode(line.slice('data:'.length))
  const edited = withFields(data, codec, (scan, edits) => {
    const [item, response] = [fieldNamed(scan.fields, 'item'), fieldNamed(scan.fields, 'response')]
    if (item?.kind === 'object') setField(edits, 'item', inItem(data.subarray(item.start, item.end), codec))
    if (response?.kind === 'object')
      setField(edits, 'response', hideInResponse(data.subarray(response.start, response.end), codec))
  })
  return `data:${decoded(edited, codec)}`
}

/** `bytes`: a response in JSON. */
export function hideInResponse(bytes: Uint8Array, codec: Codec): Uint8Array {
  return withFields(bytes, codec, (scan, edits) => {
    const output = fieldNamed(scan.fields, 'output')
    if (output?.kind === 'array')
      setField(
        edits,
        'output',
        editElements(bytes, output, (_, item) => inItem(item, codec)),
      )
  })
}

function inItem(bytes: Uint8Array, codec: Codec): Uint8Array {
  return withFields(bytes, codec, (scan, edits) => {
    const type = fieldNamed(scan.fields, 'type')
    const isReasoning = type !== undefined && codec.decode(bytes, type.start, type.end) === '"reasoning"'
    if (isReasoning) edits.remove = [FIELD]
  })
}

function withFields(bytes: Uint8Array, codec: Codec, edit: (scan: JsonScan, edits: FieldEdits) => void): Uint8Array {
  const scan = scanObject(bytes, codec)
  if (!scan.ok) return bytes
  const edits: FieldEdits = { set: [], remove: [] }
  edit(scan, edits)
  return edits.set.length + edits.remove.length === 0 ? bytes : concat([...editFields(bytes, scan, edits, codec)])
}
