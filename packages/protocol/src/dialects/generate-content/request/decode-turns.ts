// A client's contents as turns. Chats of the SDKs send back each chunk of a streamed answer as a content of its own, so
// what was one piece of reasoning or one text comes in pieces, and is put together again here.

import {
  asObject,
  asString,
  isObject,
  type Json,
  readFlag,
  readName,
  readString,
  wrong,
} from '../../../canonical/reading.ts'
import type { InstructionText, MediaPart, Part, ResultPart, TextPart, Turn } from '../../../canonical/request.ts'
import { decodeSignatureField } from '../reply/signature.ts'
import { type CallMatcher, openCallMatcher } from './call-ids.ts'
import { decodeFile, decodeInline } from './decode-media.ts'
import { camel, listOf, type UntranslatedFields } from './fields.ts'

export type DecodingContext = {
  left: UntranslatedFields
  /** For media that says nothing about it itself. */
  detail: string | undefined
}

export function decodeContents(value: unknown, reading: DecodingContext): Turn[] {
  const contents = listOf(value, 'contents').map((content, index) => camel(asObject(content, `contents[${index}]`)))
  const calls = openCallMatcher(contents)
  const answered = new Map<string, ResultPart>()
  const turns: { role: 'user' | 'assistant'; parts: Part[]; content: number }[] = []
  for (const [index, content] of contents.entries()) {
    const at = `contents[${index}]`
    const role = roleOf(content, at)
    for (const [position, value] of listOf(content.parts, `${at}.parts`).entries()) {
      const part = readPart(value, `${at}.parts[${position}]`, calls, reading)
      if (part === undefined || (part.type === 'result' && isRepeated(part, answered))) continue
      const speaker = speakerOf(part, role)
      const last = turns.at(-1)
      // Contents of the user stay apart as the caller wrote them; the model's are one turn.
      const isSameTurn = last?.role === speaker && (speaker === 'assistant' || last.content === index)
      if (last !== undefined && isSameTurn) append(last.parts, part, speaker)
      else turns.push({ role: speaker, parts: [part], content: index })
    }
  }
  return turns.map(({ role, parts }) => ({ role, parts }))
}

/** A session that Google's agent takes up again has each result twice, word for word. Two calls never share an id here. */
function isRepeated(result: ResultPart, answered: Map<string, ResultPart>): boolean {
  const earlier = answered.get(result.callId)
  if (earlier === undefined) answered.set(result.callId, result)
  return earlier !== undefined && JSON.stringify({ ...earlier, at: '' }) === JSON.stringify({ ...result, at: '' })
}

/** `function` and `tool` are how older clients call the speaker of results. */
const ROLES: Readonly<Record<string, 'user' | 'assistant'>> = {
  '': 'user',
  user: 'user',
  function: 'user',
  tool: 'user',
  model: 'assistant',
}

function roleOf(content: Json, at: string): 'user' | 'assistant' {
  const word = readString(content, 'role', at) ?? ''
  const role = Object.hasOwn(ROLES, word) ? ROLES[word] : undefined
  if (role === undefined) throw wrong(`${at}.role`, `${at}.role must be one of user, model`)
  return role
}

/** Only models call and think, and only their callers have results, whatever the role says. */
function speakerOf(part: Part, role: 'user' | 'assistant'): 'user' | 'assistant' {
  if (part.type === 'result') return 'user'
  return part.type === 'call' || part.type === 'reasoning' || part.type === 'redacted' ? 'assistant' : role
}

function append(parts: Part[], part: Part, speaker: 'user' | 'assistant'): void {
  const last = parts.at(-1)
  const goesOn =
    speaker === 'assistant' &&
    last !== undefined &&
    ((last.type === 'text' && part.type === 'text') || (last.type === 'reasoning' && part.type === 'reasoning')) &&
    last.signature === undefined
  if (goesOn) parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text } as Part
  else parts.push(part)
}

/** The fields that hold a part's content. Any other name is a kind of part that only this dialect has. */
const BESIDE = ['thought', 'thoughtSignature', 'videoMetadata', 'mediaResolution', 'partMetadata']

function contentOf(part: Json): string | undefined {
  for (const name in part) {
    if (part[name] !== undefined && part[name] !== null && !BESIDE.includes(name)) return name
  }
  return undefined
}

/** What stands for a signature where there is none, as the vendor documents it. */
const NO_SIGNATURES: ReadonlySet<string> = new Set([
  '',
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
])

/** Undefined: there is nothing in it. */
function readPart(value: unknown, at: string, calls: CallMatcher, reading: DecodingContext): Part | undefined {
  const part = camel(asObject(value, at))
  const field = readString(part, 'thoughtSignature', at)
  const signature = field === undefined || NO_SIGNATURES.has(field) ? undefined : decodeSignatureField(field)
  const signed = signature === undefined ? {} : { signature: signature.value }
  const what = contentOf(part)
  switch (what) {
    case undefined:
    case 'text': {
      const text = readString(part, 'text', at) ?? ''
      if (signature?.redacted) return { type: 'redacted', data: signature.value }
      if (text === '' && signature === undefined) return undefined
      if (readFlag(part, 'thought', at) === true) return { type: 'reasoning', text, style: 'summary', ...signed }
      return signature === undefined ? { type: 'text', text } : { type: 'text', text, ...signed }
    }
    case 'inlineData':
      return { ...decodeInline(part.inlineData, `${at}.inlineData`), ...detailOf(part, reading), ...signed }
    case 'fileData':
      return { ...decodeFile(part.fileData, `${at}.fileData`), ...detailOf(part, reading), ...signed }
    case 'functionCall': {
      const call = camel(asObject(part.functionCall, `${at}.functionCall`))
      const name = readName(call, 'name', `${at}.functionCall`)
      if (name === undefined || name === '')
        throw wrong(`${at}.functionCall.name`, `${at}.functionCall.name is required`)
      const given = call.args ?? {}
      if (!isObject(given)) throw wrong(`${at}.functionCall.args`, `${at}.functionCall.args must be an object`)
      const own = readName(call, 'id', `${at}.functionCall`)
      const id = calls.call(own, name)
      const renamed = own === undefined || own === '' || own === id ? {} : { givenId: own }
      return { type: 'call', id, ...renamed, name, arguments: JSON.stringify(given), custom: false, ...signed }
    }
    case 'functionResponse':
      return decodeResult(part.functionResponse, `${at}.functionResponse`, calls, reading.left)
    default:
      return { type: 'foreign', what, at: `${at}.${what}`, ...(CODE.has(what) ? { isEssential: true } : {}) }
  }
}

/** What the model has run and found out: what it says next is based on it. */
const CODE: ReadonlySet<string> = new Set(['executableCode', 'codeExecutionResult'])

function detailOf(part: Json, reading: DecodingContext): Pick<MediaPart, 'detail'> {
  const own = isObject(part.mediaResolution) ? camel(part.mediaResolution).level : part.mediaResolution
  const detail = detailWord(own) ?? reading.detail
  return detail === undefined ? {} : { detail }
}

/** `MEDIA_RESOLUTION_LOW` -> `low`. */
export function detailWord(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const word = value.replace(/^MEDIA_RESOLUTION_/i, '').toLowerCase()
  if (word === 'low' || word === 'medium' || word === 'high') return word
  return word === 'ultra_high' ? 'original' : undefined
}

/** Text alone can be an instruction. A plain string is not the vendor's form, but its meaning is plain. */
export function decodeInstructions(value: unknown, left: UntranslatedFields): InstructionText[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return value === '' ? [] : [{ text: value }]
  const at = 'systemInstruction'
  const texts: InstructionText[] = []
  for (const [position, given] of listOf(value, at).entries()) {
    const content = camel(asObject(given, at))
    const parts = content.parts === undefined && content.text !== undefined ? [content] : content.parts
    for (const [index, one] of listOf(parts, `${at}.parts`).entries()) {
      const path = `${at}.parts[${position + index}]`
      const part = camel(asObject(one, path))
      if (part.text === undefined || part.text === null) left.add(`${at}.parts`)
      else if (asString(part.text, `${path}.text`) !== '') texts.push({ text: asString(part.text, `${path}.text`) })
    }
  }
  return texts
}

/** What a function answered: `{output}`, `{error}`, or any object of its own. */
function decodeResult(value: unknown, at: string, calls: CallMatcher, left: UntranslatedFields): ResultPart {
  const given = camel(asObject(value, at))
  const name = readName(given, 'name', at)
  const response = given.response ?? {}
  if (!isObject(response)) throw wrong(`${at}.response`, `${at}.response must be an object`)
  const { text, isError } = outputOf(response)
  const parts: (TextPart | MediaPart)[] = text === '' ? [] : [{ type: 'text', text }]
  for (const [index, one] of listOf(given.parts, `${at}.parts`).entries()) {
    const path = `${at}.parts[${index}]`
    const part = camel(asObject(one, path))
    if (isObject(part.inlineData)) parts.push(decodeInline(part.inlineData, `${path}.inlineData`))
    else if (isObject(part.fileData)) parts.push(decodeFile(part.fileData, `${path}.fileData`))
    else left.add('contents.parts.functionResponse.parts')
  }
  return {
    type: 'result',
    callId: calls.result(readName(given, 'id', at), name),
    ...(name === undefined ? {} : { name }),
    parts,
    ...(isError ? { isError: true as const } : {}),
    at,
  }
}

/** `output` and `error` have a meaning only where nothing stands beside them; otherwise the whole object is the output. */
function outputOf(response: Json): { text: string; isError: boolean } {
  const names = Object.keys(response)
  const only = names.length === 1 ? names[0] : undefined
  if (only === 'output' || only === 'error') return { text: textOf(response[only]), isError: only === 'error' }
  return { text: names.length === 0 ? '' : JSON.stringify(response), isError: false }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
