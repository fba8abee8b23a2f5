// A chat request as it passes through: what the journey has to know about it, read from its bytes, and the few
// edits that it may need, spliced into its bytes. Everything else reaches the upstream as the caller wrote it.

import type { ErrorInfo } from '../../../canonical/error.ts'
import { isObject, isPrintableAscii, type Json, RequestError, wrong } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields, type FieldEdits, setField } from '../../../framing/json/edit-fields.ts'
import {
  decodeString,
  fieldNamed,
  type JsonField,
  type JsonKind,
  type JsonScan,
  scanObject,
} from '../../../framing/json/json-scan.ts'
import { jsonText } from '../../../framing/json/json-text.ts'
import { type Pieces, splice } from '../../../framing/splice.ts'
import { notText, parseBody, scanBody } from '../../shared/pass-through/request.ts'
import type { ChatCapField } from '../wire.ts'
import { NAMES } from './known-names.ts'
import { isCheckedByScan } from './scanned-request.ts'

export type ChatFacts = {
  model: string
  stream: boolean
  /** The caller asked for the usage chunk of a stream. */
  includeUsage: boolean
  /** The caller's limit on output tokens and the field it stands in. */
  maxOutput: number | undefined
  capField: ChatCapField | undefined
  temperature: number | undefined
  topP: number | undefined
  /** Number of choices asked for. */
  n: number
  user: string | undefined
  safetyIdentifier: string | undefined
  messages: number
  tools: number
  images: number
  documents: number
  audios: number
  /** Size of the whole body. */
  bytes: number
  /** How much of it is encoded media rather than text. */
  mediaBytes: number
  /** Top-level fields with their ranges, in order; also the ones the gateway does not know. */
  fields: readonly JsonField[]
  /** Where the body's closing brace is. */
  close: number
  /** JSON values in the body, at every depth. */
  values: number
  /** The whole body, unless the scan could check all of it. */
  parsed: unknown
}

/** Up to this size bodies are parsed: larger ones only if the scan cannot check them. */
const PARSED_IN_FULL = 16 * 1024
const MAX_OUTPUT = 10_000_000
const MAX_CHOICES = 128
const MAX_MODEL_LENGTH = 256
/** Members of messages whose long values are encoded media, and of what type if they do not say: `data:image/png;...`. */
const MEDIA_KEYS: ReadonlyMap<string, string> = new Map([
  ['"data"', 'audio/wav'],
  ['"file_data"', 'application/pdf'],
  ['"url"', 'text/uri-list'],
])
const LONGEST_TYPE = 100

export function readChatRequest(
  bytes: Uint8Array,
  codec: Codec,
  maxValues?: number | undefined,
): ChatFacts | ErrorInfo {
  try {
    const scan = scanBody(bytes, codec, NAMES, maxValues)
    const isParsed = bytes.length <= PARSED_IN_FULL || !isCheckedByScan(bytes, scan, codec)
    return factsOf(bytes, codec, scan, isParsed ? parseBody(bytes, codec) : undefined)
  } catch (thrown) {
    if (thrown instanceof RequestError) return thrown.info
    throw thrown
  }
}

function factsOf(bytes: Uint8Array, codec: Codec, scan: JsonScan, parsed: unknown): ChatFacts {
  const read = new TopLevel(bytes, codec, scan.fields, parsed)
  const model = read.name('model', MAX_MODEL_LENGTH)
  if (model === undefined) throw wrong('model', 'model is required: the id of a model as a string')
  if (model === '') throw wrong('model', 'model must not be empty')
  const messages = read.array('messages')
  if (messages === undefined) throw wrong('messages', 'messages is required: an array of messages')
  if (messages === 0) throw wrong('messages', 'messages must have at least one message')

  read.oneOf('stop', 'string', 'array', 'stop must be a string or an array of strings')
  read.oneOf('tool_choice', 'string', 'object', 'tool_choice must be a string or an object')
  // Which of the two an upstream heeds is its own affair: the greater has to be paid for.
  const newCap = read.number('max_completion_tokens', 1, MAX_OUTPUT, 'integer')
  const oldCap = read.number('max_tokens', 1, MAX_OUTPUT, 'integer')
  const isOld = oldCap !== undefined && !(newCap !== undefined && newCap >= oldCap)
  return {
    model,
    stream: read.flag('stream'),
    includeUsage: asksForUsage(bytes, codec, read.field('stream_options')),
    maxOutput: isOld ? oldCap : newCap,
    capField: isOld ? 'max_tokens' : newCap === undefined ? undefined : 'max_completion_tokens',
    temperature: read.number('temperature', 0, 2),
    topP: read.number('top_p', 0, 1),
    n: read.number('n', 1, MAX_CHOICES, 'integer') ?? 1,
    user: read.name('user'),
    safetyIdentifier: read.name('safety_identifier'),
    messages,
    tools: read.array('tools') ?? 0,
    ...mediaIn(parsed),
    bytes: bytes.length,
    mediaBytes: mediaBytes(bytes, codec, scan),
    fields: scan.fields,
    close: scan.close,
    values: scan.values,
    parsed,
  }
}

/** Typed access to the top-level fields. Absent and null both read as undefined. */
class TopLevel {
  readonly #bytes: Uint8Array
  readonly #codec: Codec
  readonly #fields: readonly JsonField[]
  /** The same fields as values, where the body was parsed: nothing has to be decoded twice. */
  readonly #parsed: Json | undefined

  constructor(bytes: Uint8Array, codec: Codec, fields: readonly JsonField[], parsed: unknown) {
    this.#bytes = bytes
    this.#codec = codec
    this.#fields = fields
    this.#parsed = isObject(parsed) ? parsed : undefined
  }

  field(name: string): JsonField | undefined {
    // Most are in no request, and an object knows that sooner than a list.
    if (this.#parsed !== undefined && (this.#parsed[name] ?? null) === null) return undefined
    const found = fieldNamed(this.#fields, name)
    return found?.kind === 'null' ? undefined : found
  }

  /** A string that is stored or compared: no control characters, no half characters. */
  name(name: string, maxLength = Number.POSITIVE_INFINITY): string | undefined {
    const found = this.field(name)
    if (found === undefined) return undefined
    if (found.kind !== 'string') throw wrong(name, `${name} must be a string`)
    const text = this.#parsed?.[name] ?? decodeString(this.#bytes, found.start, found.end, this.#codec)
    if (typeof text !== 'string') throw wrong(name, `${name} has an invalid escape or a control character`)
    if (!isPrintableAscii(text)) {
      if (/[\u0000-\u001f\u007f]/.test(text)) throw wrong(name, `${name} must not have control characters`)
      if (/[\ud800-\udfff\ufffd]/u.test(text)) throw wrong(name, `${name} must be valid Unicode text`)
    }
    if (text.length > maxLength) throw wrong(name, `${name} must not be longer than ${maxLength} characters`)
    return text
  }

  number(name: string, least: number, most: number, kind: 'number' | 'integer' = 'number'): number | undefined {
    const found = this.field(name)
    if (found === undefined) return undefined
    const value = found.kind === 'number' ? this.#numberAt(found) : Number.NaN
    if (value >= least && value <= most && (kind === 'number' || Number.isInteger(value))) return value
    const what = kind === 'number' ? 'a number' : 'a whole number'
    throw wrong(name, `${name} must be ${what} between ${least} and ${most}`)
  }

  #numberAt({ name, start, end }: JsonField): number {
    const value = this.#parsed?.[name]
    return typeof value === 'number' ? value : Number(this.#codec.decode(this.#bytes, start, end))
  }

  flag(name: string): boolean {
    const found = this.field(name)
    if (found === undefined || found.kind === 'false') return false
    if (found.kind === 'true') return true
    throw wrong(name, `${name} must be true or false`)
  }

  array(name: string): number | undefined {
    const found = this.field(name)
    if (found === undefined) return undefined
    if (found.kind !== 'array') throw wrong(name, `${name} must be an array`)
    return found.count
  }

  oneOf(name: string, one: JsonKind, other: JsonKind, message: string): void {
    const kind = this.field(name)?.kind
    if (kind !== undefined && kind !== one && kind !== other) throw wrong(name, message)
  }
}

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

function asksForUsage(bytes: Uint8Array, codec: Codec, options: JsonField | undefined): boolean {
  if (options === undefined) return false
  if (options.kind !== 'object') throw wrong('stream_options', 'stream_options must be an object')
  const inner = scanObject(bytes.subarray(options.start, options.end), codec)
  if (!inner.ok) throw wrong('stream_options', `stream_options ${inner.message}`)
  const asked = fieldNamed(inner.fields, 'include_usage')
  if (asked === undefined || asked.kind === 'null' || asked.kind === 'false') return false
  if (asked.kind === 'true') return true
  throw wrong('stream_options.include_usage', 'stream_options.include_usage must be true or false')
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
function mediaIn(parsed: unknown): Pick<ChatFacts, 'images' | 'documents' | 'audios'> {
  const counts = { images: 0, documents: 0, audios: 0 }
  const messages = isObject(parsed) && Array.isArray(parsed.messages) ? parsed.messages : []
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
