// A client's messages as turns. Instructions at the beginning are taken apart from those in the middle.

import {
  asArray,
  asObject,
  below,
  isObject,
  type Json,
  readArray,
  readName,
  readObject,
  readString,
  wrong,
} from '../../../canonical/reading.ts'
import type {
  CacheMark,
  CallPart,
  ForeignPart,
  InstructionText,
  MediaPart,
  Part,
  RefusalPart,
  ResultPart,
  TextPart,
  Turn,
} from '../../../canonical/request.ts'
import { reasoningText, thinkingText } from '../reply/decode-text.ts'
import { decodeMedia } from './decode-media.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']

/** On the way of every request: plain loops, and only the objects that it needs. */
export function decodeTurns(messages: readonly unknown[]): { instructions: InstructionText[]; turns: Turn[] } {
  const instructions: InstructionText[] = []
  const turns: Turn[] = []
  const legacy = new LegacyCalls()
  const results = new Results(turns)
  for (let index = 0; index < messages.length; index++) {
    const at = `messages[${index}]`
    const message = asObject(messages[index], at)
    const role = readString(message, 'role', at)
    switch (role) {
      case 'system':
      case 'developer':
        addInstructions(decodeContent(message, at), instructions, turns)
        break
      case 'user':
        turns.push(named({ role, parts: decodeContent(message, at) }, message, at))
        break
      case 'assistant':
        turns.push(named({ role, parts: decodeAssistant(message, at, legacy) }, message, at))
        break
      case 'tool':
        results.add(decodeResult(message, at))
        break
      case 'function':
        results.add(legacy.result(message, at))
        break
      default: {
        const path = below(at, 'role')
        throw wrong(path, `${path} must be one of ${ROLES.join(', ')}`)
      }
    }
  }
  return { instructions, turns }
}

function addInstructions(parts: readonly Content[], instructions: InstructionText[], turns: Turn[]): void {
  // What is not text stays a turn, where it is carried or reported, but not lost.
  const isText = turns.length === 0 && isTextAlone(parts)
  if (!isText) turns.push({ role: 'system', parts })
  else for (const part of parts) if (part.type === 'text') instructions.push(instructionOf(part))
}

function isTextAlone(parts: readonly Content[]): boolean {
  for (const { type } of parts) if (type !== 'text') return false
  return true
}

function instructionOf({ text, cache }: TextPart): InstructionText {
  return cache === undefined ? { text } : { text, cache }
}

function named(turn: Turn, message: Json, at: string): Turn {
  const name = readName(message, 'name', at)
  if (name !== undefined && name !== '') turn.name = name
  return turn
}

/** Results that follow one another answer the same turn of the assistant. In one list that grows: there may be many. */
class Results {
  readonly #turns: Turn[]
  #last: ResultPart[] | undefined

  constructor(turns: Turn[]) {
    this.#turns = turns
  }

  add(result: ResultPart): void {
    if (this.#last === undefined || this.#turns.at(-1)?.parts !== this.#last) {
      this.#last = []
      this.#turns.push({ role: 'user', parts: this.#last })
    }
    this.#last.push(result)
  }
}

type Content = TextPart | MediaPart | RefusalPart | ForeignPart

function decodeContent(message: Json, at: string): Content[] {
  const { content } = message
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const path = below(at, 'content')
  if (Array.isArray(content)) return content.map((part, index) => decodePart(part, `${path}[${index}]`))
  throw wrong(path, `${path} must be a string or an array of content parts`)
}

function decodePart(value: unknown, at: string): Content {
  const part = asObject(value, at)
  if (part.type === 'text') return decodeText(part, at)
  if (part.type === 'refusal') return { type: 'refusal', text: required(part, 'refusal', at) }
  const media = decodeMedia(part, at)
  if (media !== undefined) return marked(media, part)
  if (typeof part.type === 'string') return { type: 'foreign', what: part.type, at }
  throw wrong(below(at, 'type'), `${below(at, 'type')} must be a string`)
}

function decodeText(part: Json, at: string): TextPart {
  return marked<TextPart>({ type: 'text', text: required(part, 'text', at) }, part)
}

/** What was read from a part of the request, with the mark that the part has. */
export function marked<Read extends { cache?: CacheMark }>(read: Read, part: Json): Read {
  const cache = cacheMark(part)
  if (cache !== undefined) read.cache = cache
  return read
}

function required(from: Json, name: string, at: string): string {
  const text = readString(from, name, at)
  if (text === undefined) throw wrong(below(at, name), `${below(at, name)} is required: a string`)
  return text
}

const BREAKPOINT: CacheMark = { isBreakpoint: true }
const TTLS = ['5m', '30m', '1h'] as const

/** The vendor's own mark, or the one that resellers of other vendors' models borrowed for this dialect. */
function cacheMark(part: Json): CacheMark | undefined {
  if (isObject(part.prompt_cache_breakpoint)) return BREAKPOINT
  if (!isObject(part.cache_control)) return undefined
  const { ttl } = part.cache_control
  const known = TTLS.find((candidate) => candidate === ttl)
  return known === undefined ? {} : { ttl: known }
}

function decodeAssistant(message: Json, at: string, legacy: LegacyCalls): Part[] {
  const parts: Part[] = []
  const reasoning = reasoningText(message)
  if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning, style: 'full' })
  addSpoken(parts, message, at)
  const refusal = readString(message, 'refusal', at)
  if (refusal !== undefined && refusal !== '') parts.push({ type: 'refusal', text: refusal })
  if (isObject(message.audio)) parts.push({ type: 'foreign', what: 'audio', at: below(at, 'audio') })
  const calls = readArray(message, 'tool_calls', at)
  if (calls !== undefined)
    for (let index = 0; index < calls.length; index++)
      parts.push(decodeCall(calls[index], below(at, `tool_calls[${index}]`)))
  const called = readObject(message, 'function_call', at)
  if (called !== undefined) parts.push(legacy.call(called, below(at, 'function_call')))
  return parts
}

/** What an assistant said. Empty text beside calls is what this dialect's clients send for none at all. */
function addSpoken(parts: Part[], message: Json, at: string): void {
  const { content } = message
  if (content === undefined || content === null || content === '') return
  if (!Array.isArray(content)) {
    parts.push(...decodeContent(message, at))
    return
  }
  for (let index = 0; index < content.length; index++) {
    const path = `${below(at, 'content')}[${index}]`
    const part = asObject(content[index], path)
    if (part.type === 'thinking') parts.push({ type: 'reasoning', text: thinkingText(part), style: 'full' })
    else {
      const read = decodePart(part, path)
      if (read.type !== 'text' || read.text !== '') parts.push(read)
    }
  }
}

function decodeCall(value: unknown, at: string): CallPart | ForeignPart {
  const call = asObject(value, at)
  const id = readString(call, 'id', at) ?? `call_${at.replace(/\D+/g, '_')}`
  const type = readString(call, 'type', at) ?? 'function'
  if (type !== 'function' && type !== 'custom') return { type: 'foreign', what: type, at }
  const path = below(at, type)
  const called = asObject(call[type], path)
  const custom = type === 'custom'
  const input = custom ? (readString(called, 'input', path) ?? '') : undefined
  const name = calledName(called, path)
  const part: CallPart = { type: 'call', id, name, arguments: input ?? argumentsOf(called, path), custom }
  const signature = signatureOf(call)
  if (signature !== undefined) part.signature = signature
  return part
}

function calledName(called: Json, at: string): string {
  const name = readName(called, 'name', at)
  if (name === undefined || name === '') throw wrong(below(at, 'name'), `${below(at, 'name')} is required: a string`)
  return name
}

/** Text by the protocol; some services gave objects, and their clients send them back. */
function argumentsOf(called: Json, at: string): string {
  if (isObject(called.arguments)) return JSON.stringify(called.arguments)
  return readString(called, 'arguments', at) ?? ''
}

/** Where Google's service of this dialect puts the signature of a call. */
export function signatureOf(call: Json): string | undefined {
  const extra = call.extra_content
  const google = isObject(extra) ? extra.google : undefined
  const signature = isObject(google) ? google.thought_signature : undefined
  return typeof signature === 'string' && signature !== '' ? signature : undefined
}

function decodeResult(message: Json, at: string): ResultPart {
  const callId = readString(message, 'tool_call_id', at)
  if (callId === undefined) {
    const path = below(at, 'tool_call_id')
    throw wrong(path, `${path} is required: the id of the tool call that this answers`)
  }
  const name = readName(message, 'name', at)
  const result: ResultPart = { type: 'result', callId, parts: resultParts(message, at), at }
  if (name !== undefined && name !== '') result.name = name
  return result
}

function resultParts(message: Json, at: string): (TextPart | MediaPart)[] {
  const { content } = message
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const path = below(at, 'content')
  return asArray(content, path).map((part, index) => {
    const read = decodePart(part, `${path}[${index}]`)
    if (read.type === 'text' || read.type === 'media') return read
    // A result has no other parts in any dialect; what it says is worth more than its form.
    return { type: 'text', text: read.type === 'refusal' ? read.text : JSON.stringify(part) }
  })
}

/** Calls of the time before tools had no ids: a result belongs to the last open call of its name. */
class LegacyCalls {
  readonly #open: { id: string; name: string }[] = []
  #count = 0

  call(called: Json, at: string): CallPart {
    const name = calledName(called, at)
    const id = `call_legacy_${this.#count++}`
    this.#open.push({ id, name })
    return { type: 'call', id, name, arguments: argumentsOf(called, at), custom: false }
  }

  result(message: Json, at: string): ResultPart {
    const name = calledName(message, at)
    const found = this.#open.findLastIndex((call) => call.name === name)
    const [answered] = found < 0 ? [] : this.#open.splice(found, 1)
    const callId = answered?.id ?? `call_legacy_${this.#count++}`
    return { type: 'result', callId, name, parts: resultParts(message, at), at }
  }
}
