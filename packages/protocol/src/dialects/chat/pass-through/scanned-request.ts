// Long chat requests are scanned and not parsed, if the scan is enough to say that no guard has anything to look at: every
// tool is a function of the caller's, and messages consist of texts and calls. Whatever else there is, known or not, is for
// the parser.

import { isPrintableAscii, wrong } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import {
  decodeString,
  fieldNamed,
  hasValidStrings,
  isFirstMember,
  isTextAt,
  type JsonField,
  type JsonKind,
  type JsonScan,
  MEMBER_NOTE,
  nameAt,
  scanObject,
} from '../../../framing/json/json-scan.ts'
import { LONGEST_ID, MAX_CHOICES, MAX_OUTPUT } from '../request/decode-request.ts'
import type { ChatCapField } from '../wire.ts'

/** What both readers find, the scan and `decodeRequest`. */
export type ChatSettings = {
  model: string
  stream: boolean
  /** The caller asked for the usage chunk of a stream. */
  includeUsage: boolean
  /** The caller's limit on output tokens and the field it stands in. */
  maxOutput: number | undefined
  capField: ChatCapField | undefined
  /** Number of choices asked for. */
  n: number
  user: string | undefined
  safetyIdentifier: string | undefined
  tools: number
}

/** Which of the two caps an upstream heeds is its own affair: the greater has to be paid for. */
export function capOf(
  newCap: number | undefined,
  oldCap: number | undefined,
): Pick<ChatSettings, 'maxOutput' | 'capField'> {
  const isOld = oldCap !== undefined && !(newCap !== undefined && newCap >= oldCap)
  if (isOld) return { maxOutput: oldCap, capField: 'max_tokens' }
  return { maxOutput: newCap, capField: newCap === undefined ? undefined : 'max_completion_tokens' }
}

const MAX_MODEL_LENGTH = 256
/** None of these holds an id, a URL or anything with a price. */
const MESSAGE_MEMBERS: ReadonlySet<string | undefined> = new Set(
  'role content name tool_calls tool_call_id refusal reasoning reasoning_content function_call'.split(' '),
)
const PART_MEMBERS: ReadonlySet<string | undefined> = new Set('type text refusal cache_control'.split(' '))
const FUNCTION = '"function"'
const CUSTOM = '"custom"'

/** Names must have been checked: none comes twice in a tool. */
export function isCheckedByScan(bytes: Uint8Array, scan: JsonScan, codec: Codec): boolean {
  return (
    areCallersTools(bytes, fieldNamed(scan.fields, 'tools')) &&
    areTexts(bytes, fieldNamed(scan.fields, 'messages'), codec) &&
    hasValidStrings(bytes, codec, scan)
  )
}

function areCallersTools(bytes: Uint8Array, tools: JsonField | undefined): boolean {
  if (tools?.kind !== 'array') return true
  const { members, count } = tools
  let callersTools = 0
  for (let note = 0; note < members.length; note += MEMBER_NOTE) {
    if (members[note + 3] !== -2) continue
    const keyStart = members[note] ?? 0
    if (!isTextAt(bytes, keyStart, (members[note + 1] ?? 0) - keyStart, '"type"')) continue
    const start = members[note + 2] ?? 0
    if (isTextAt(bytes, start, FUNCTION.length, FUNCTION) || isTextAt(bytes, start, CUSTOM.length, CUSTOM))
      callersTools++
  }
  return callersTools === count
}

function areTexts(bytes: Uint8Array, messages: JsonField | undefined, codec: Codec): boolean {
  if (messages?.kind !== 'array') return true
  const { members, count } = messages
  let objects = 0
  let isInContent = false
  let partMember: string | undefined
  for (let note = 0; note < members.length; note += MEMBER_NOTE) {
    const depth = -(members[note + 3] ?? 0)
    // The inside of a call, for example, is not judged.
    if (depth <= 0 || (depth > 2 && objects > 0 && !isInContent)) continue
    if (depth > 4 && partMember === 'cache_control') continue
    const keyStart = members[note] ?? 0
    const name = nameAt(bytes, keyStart, members[note + 1] ?? 0, codec)
    if (depth === 2) {
      if (!MESSAGE_MEMBERS.has(name)) return false
      if (isFirstMember(bytes, keyStart)) objects++
      isInContent = name === 'content'
      partMember = undefined
    } else if (depth === 4 && PART_MEMBERS.has(name)) partMember = name
    else return false
  }
  return objects === count
}

/** Checks the top-level fields as strictly as `decodeRequest`. Throws RequestError. */
export function readScanned(bytes: Uint8Array, { fields }: JsonScan, codec: Codec): ChatSettings {
  const read = new TopLevel(bytes, codec, fields)
  const model = read.name('model', MAX_MODEL_LENGTH)
  if (model === undefined) throw wrong('model', 'model is required: the id of a model as a string')
  if (model === '') throw wrong('model', 'model must not be empty')
  const messages = read.array('messages')
  if (messages === undefined) throw wrong('messages', 'messages is required: an array of messages')
  if (messages === 0) throw wrong('messages', 'messages must have at least one message')
  read.oneOf('stop', 'string', 'array', 'stop must be a string or an array of strings')
  read.oneOf('tool_choice', 'string', 'object', 'tool_choice must be a string or an object')
  read.number('temperature', 0, 2)
  read.number('top_p', 0, 1)
  return {
    model,
    stream: read.flag('stream'),
    includeUsage: asksForUsage(bytes, codec, read.field('stream_options')),
    ...capOf(
      read.number('max_completion_tokens', 1, MAX_OUTPUT, 'integer'),
      read.number('max_tokens', 1, MAX_OUTPUT, 'integer'),
    ),
    n: read.number('n', 1, MAX_CHOICES, 'integer') ?? 1,
    user: read.name('user', LONGEST_ID),
    safetyIdentifier: read.name('safety_identifier', LONGEST_ID),
    tools: read.array('tools') ?? 0,
  }
}

/** Typed access to the top-level fields. Absent and null both read as undefined. */
class TopLevel {
  readonly #bytes: Uint8Array
  readonly #codec: Codec
  readonly #fields: readonly JsonField[]

  constructor(bytes: Uint8Array, codec: Codec, fields: readonly JsonField[]) {
    this.#bytes = bytes
    this.#codec = codec
    this.#fields = fields
  }

  field(name: string): JsonField | undefined {
    const found = fieldNamed(this.#fields, name)
    return found?.kind === 'null' ? undefined : found
  }

  /** A string that is stored or compared: no control characters, no half characters. */
  name(name: string, maxLength: number): string | undefined {
    const found = this.field(name)
    if (found === undefined) return undefined
    if (found.kind !== 'string') throw wrong(name, `${name} must be a string`)
    const text = decodeString(this.#bytes, found.start, found.end, this.#codec)
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
    const value = found.kind === 'number' ? Number(this.#codec.decode(this.#bytes, found.start, found.end)) : Number.NaN
    if (value >= least && value <= most && (kind === 'number' || Number.isInteger(value))) return value
    const what = kind === 'number' ? 'a number' : 'a whole number'
    throw wrong(name, `${name} must be ${what} between ${least} and ${most}`)
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
