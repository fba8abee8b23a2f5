// A chat request as it passes through: what the journey has to know about it, and the few edits that it may need, spliced into
// its bytes. Everything else reaches the upstream as the caller wrote it.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { CanonicalRequest } from '../../../canonical/request.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import { fieldNamed, type JsonField, type JsonScan, scanObject } from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import { type Pieces, splice } from '../../../framing/splice.ts'
import { notText, parseBody, scanBody } from '../../shared/pass-through/request.ts'
import { decodeRequest } from '../request/decode-request.ts'
import type { ChatCapField } from '../wire.ts'
import { NAMES } from './fields.ts'
import { type ChatSettings, capOf, isCheckedByScan, readScanned } from './scanned-request.ts'

export type ChatFacts = ChatSettings & {
  images: number
  documents: number
  audios: number
  /** Size of the body without encoded media. */
  textBytes: number
  /** Top-level fields with their ranges, in order; also the ones the gateway does not know. */
  fields: readonly JsonField[]
  /** Where the body's closing brace is. */
  close: number
  /** JSON values in the body, at every depth. */
  values: number
  /** The whole body, unless the scan could check all of it. */
  decoded: { body: Json; request: CanonicalRequest } | undefined
}

/** Up to this size bodies are parsed: larger ones only if the scan cannot check them. */
const PARSED_IN_FULL = 16 * 1024
/** Members of messages whose long values are encoded media, and of what type if they do not say: `data:image/png;...`. */
const MEDIA_KEYS: ReadonlyMap<string, string> = new Map([
  ['"data"', 'audio/wav'],
  ['"file_data"', 'application/pdf'],
  ['"url"', 'text/uri-list'],
])
const LONGEST_TYPE = 100

/**
 * There are two readers. A long body that is plain is only scanned: parsing it would cost several times as much. Any other is
 * parsed and decoded, and what is wrong inside it is found before anything is sent or held. Throws RequestError.
 */
export function readChatRequest(bytes: Uint8Array, codec: Codec, maxValues?: number | undefined): ChatFacts {
  const scan = scanBody(bytes, codec, NAMES, maxValues)
  const isScanned = bytes.length > PARSED_IN_FULL && isCheckedByScan(bytes, scan, codec)
  const body = isScanned ? undefined : parseBody(bytes, codec)
  const decoded = body && { body, request: decodeRequest(body) }
  const settings = decoded ? settingsOf(decoded.body, decoded.request) : readScanned(bytes, scan, codec)
  const { images, documents, audios } = mediaIn(body)
  return {
    model: settings.model,
    stream: settings.stream,
    includeUsage: settings.includeUsage,
    maxOutput: settings.maxOutput,
    capField: settings.capField,
    n: settings.n,
    user: settings.user,
    safetyIdentifier: settings.safetyIdentifier,
    tools: settings.tools,
    images,
    documents,
    audios,
    textBytes: bytes.length - mediaBytes(bytes, codec, scan),
    fields: scan.fields,
    close: scan.close,
    values: scan.values,
    decoded,
  }
}

function settingsOf(body: Json, { model, stream, showUsage, sampling }: CanonicalRequest): ChatSettings {
  const { max_completion_tokens: newCap, max_tokens: oldCap, user, safety_identifier: safetyIdentifier, tools } = body
  const { maxOutput, capField } = capOf(numberOr(newCap), numberOr(oldCap))
  return {
    model,
    stream,
    includeUsage: showUsage === true,
    maxOutput,
    capField,
    n: sampling.choices ?? 1,
    user: textOr(user),
    safetyIdentifier: textOr(safetyIdentifier),
    tools: Array.isArray(tools) ? tools.length : 0,
  }
}

const numberOr = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export type ChatEdits = {
  /** The model's name at the upstream. */
  model?: string
  /** Asks the upstream for the usage chunk. */
  includeUsage?: true
  /** An upper limit on output tokens: it lowers the caller's own, and never raises it. */
  maxOutput?: number
  /** The field for the limit when the caller gave none. */
  capField?: ChatCapField
  /** Changes to other top-level fields. Those of this request are added to it. */
  fields?: FieldEdits
}

/** The body with these edits and every other byte as it was; the same array alone when nothing changes. */
export function editChatRequest(bytes: Uint8Array, facts: ChatFacts, edits: ChatEdits, codec: Codec): Pieces {
  const { model, maxOutput, fields: into = { set: [], remove: [] } } = edits
  if (model !== undefined && model !== facts.model) setField(into, 'model', jsonText(model))

  if (edits.includeUsage && !facts.includeUsage) {
    const options = fieldNamed(facts.fields, 'stream_options')
    setField(into, 'stream_options', options?.kind === 'object' ? askingForUsage(bytes, options, codec) : ASK)
  }

  if (maxOutput !== undefined) {
    const limit = String(maxOutput)
    const isKept = (field: JsonField | undefined): field is JsonField =>
      field !== undefined && !into.remove.includes(field.name)
    const caps = CAPS.map((name) => fieldNamed(facts.fields, name)).filter(isKept)
    // Both names may be there: an upstream that heeds the other one must not produce more either.
    for (const cap of caps)
      if (cap.kind === 'number' && Number(codec.decode(bytes, cap.start, cap.end)) > maxOutput)
        setField(into, cap.name, limit)
    if (facts.maxOutput === undefined) setField(into, caps[0]?.name ?? edits.capField ?? 'max_tokens', limit)
  }
  return editFields(bytes, facts, into, codec)
}

const CAPS: readonly ChatCapField[] = ['max_completion_tokens', 'max_tokens']
const ASK = '{"include_usage":true}'

function askingForUsage(bytes: Uint8Array, options: JsonField, codec: Codec): Uint8Array {
  const inner = bytes.subarray(options.start, options.end)
  const scan = scanObject(inner, codec)
  const asked = scan.ok ? fieldNamed(scan.fields, 'include_usage') : undefined
  if (asked !== undefined)
    return splice(inner, [{ start: asked.start, end: asked.end, bytes: codec.encode('true') }], codec)
  const added = codec.encode(`"include_usage":true${options.count === 0 ? '' : ','}`)
  return splice(inner, [{ start: 1, end: 1, bytes: added }], codec)
}

function mediaBytes(bytes: Uint8Array, codec: Codec, scan: JsonScan): number {
  if (scan.longStrings.length === 0) return 0
  let total = 0
  const messages = fieldNamed(scan.fields, 'messages')
  for (const { keyStart, keyEnd, start, end } of scan.longStrings) {
    // Elsewhere, as in the schema of a tool, a model reads what has such a name.
    if (!messages || start < messages.start || end > messages.end || keyEnd - keyStart > 11) continue
    const usual = MEDIA_KEYS.get(codec.decode(bytes, keyStart, keyEnd))
    if (usual === undefined) continue
    const said = /^"data:([^;,]*)/.exec(codec.decode(bytes, start, start + LONGEST_TYPE))?.[1]
    // Some write a slash as \/.
    total += notText(said?.replace('\\', '') ?? usual, end - start - 2)
  }
  return total
}

/** A body that was not parsed has none. */
function mediaIn(body: Json | undefined): Pick<ChatFacts, 'images' | 'documents' | 'audios'> {
  const counts = { images: 0, documents: 0, audios: 0 }
  const messages = Array.isArray(body?.messages) ? body.messages : []
  for (const message of messages) {
    if (!isObject(message) || !Array.isArray(message.content)) continue
    for (const part of message.content) {
      if (!isObject(part)) continue
      if (part.type === 'image_url') counts.images++
      else if (part.type === 'file') counts.documents++
      else if (part.type === 'input_audio') counts.audios++
    }
  }
  return counts
}
