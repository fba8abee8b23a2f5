// A caller's messages as turns. Instructions at the beginning are taken apart from those in the middle.

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
import { decodeMedia } from './decode-media.ts'
import { reasoningText, thinkingText } from './spoken.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']

export function decodeMessages(messages: readonly unknown[]): { instructions: InstructionText[]; turns: Turn[] } {
  const instructions: InstructionText[] = []
  const turns: Turn[] = []
  const legacy = openLegacyCalls()
  const addResult = openResults(turns)
  for (const [index, value] of messages.entries()) {
    const at = `messages[${index}]`
    const message = asObject(value, at)
    const role = readString(message, 'role', at)
    switch (role) {
      case 'system':
      case 'developer': {
        const parts = decodeContent(message, at)
        const texts = parts.filter((part) => part.type === 'text')
        // What is not text stays a turn, where it is carried or reported, but not lost.
        if (turns.length > 0 || texts.length < parts.length) turns.push({ role: 'system', parts })
        else instructions.push(...texts.map(instructionOf))
        break
      }
      case 'user':
        turns.push({ role: 'user', parts: decodeContent(message, at), ...nameOf(message, at) })
        break
      case 'assistant':
        turns.push({ role: 'assistant', parts: decodeAssistant(message, at, legacy), ...nameOf(message, at) })
        break
      case 'tool':
        addResult(decodeResult(message, at))
        break
      case 'function':
        addResult(legacy.result(message, at))
        break
      default: {
        const path = below(at, 'role')
        throw wrong(path, `${path} must be one of ${ROLES.join(', ')}`)
      }
    }
  }
  return { instructions, turns }
}

const instructionOf = ({ text, cache }: TextPart): InstructionText => ({
  text,
  ...(cache === undefined ? {} : { cache }),
})

function nameOf(message: Json, at: string): { name?: string } {
  const name = readName(message, 'name', at)
  return name === undefined || name === '' ? {} : { name }
}

/** Results that follow one another answer the same turn of the assistant. In one list that grows: there may be many. */
function openResults(turns: Turn[]): (result: ResultPart) => void {
  let results: ResultPart[] = []
  return (result) => {
    if (turns.at(-1)?.parts !== results) {
      results = []
      turns.push({ role: 'user', parts: results })
    }
    results.push(result)
  }
}

type Content = TextPart | MediaPart | RefusalPart | ForeignPart

function decodeContent(message: Json, at: string): Content[] {
  const { content } = message
  const path = below(at, 'content')
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (Array.isArray(content)) return content.map((part, index) => decodePart(part, `${path}[${index}]`))
  throw wrong(path, `${path} must be a string or an array of content parts`)
}

function decodePart(value: unknown, at: string): Content {
  const part = asObject(value, at)
  if (part.type === 'text') return decodeText(part, at)
  if (part.type === 'refusal') return { type: 'refusal', text: required(part, 'refusal', at) }
  const media = decodeMedia(part, at)
  if (media !== undefined) return { ...media, ...marked(part) }
  if (typeof part.type === 'string') return { type: 'foreign', what: part.type, at }
  throw wrong(below(at, 'type'), `${below(at, 'type')} must be a string`)
}

function decodeText(part: Json, at: string): TextPart {
  return { type: 'text', text: required(part, 'text', at), ...marked(part) }
}

export function marked(part: Json): { cache?: CacheMark } {
  const cache = cacheMark(part)
  return cache === undefined ? {} : { cache }
}

function required(from: Json, name: string, at: string): string {
  const text = readString(from, name, at)
  if (text === undefined) throw wrong(below(at, name), `${below(at, name)} is required: a string`)
  return text
}

const TTLS = ['5m', '30m', '1h'] as const

/** The vendor's own mark, or the one that resellers of other vendors' models borrowed for this dialect. */
function cacheMark(part: Json): CacheMark | undefined {
  if (isObject(part.prompt_cache_breakpoint)) return {}
  if (!isObject(part.cache_control)) return undefined
  const { ttl } = part.cache_control
  const known = TTLS.find((candidate) => candidate === ttl)
  return known === undefined ? {} : { ttl: known }
}

function decodeAssistant(message: Json, at: string, legacy: LegacyCalls): Part[] {
  const parts: Part[] = []
  const thoughts = reasoningText(message)
  if (thoughts !== '') parts.push({ type: 'reasoning', text: thoughts, style: 'full' })
  parts.push(...decodeSpoken(message, at))
  const refusal = readString(message, 'refusal', at)
  if (refusal !== undefined && refusal !== '') parts.push({ type: 'refusal', text: refusal })
  if (isObject(message.audio)) parts.push({ type: 'foreign', what: 'audio', at: below(at, 'audio') })
  const calls = readArray(message, 'tool_calls', at) ?? []
  parts.push(...calls.map((call, index) => decodeCall(call, below(at, `tool_calls[${index}]`))))
  const called = readObject(message, 'function_call', at)
  if (called !== undefined) parts.push(legacy.call(called, below(at, 'function_call')))
  return parts
}

/** What an assistant said. Empty text beside calls is what this dialect's clients send for none at all. */
function decodeSpoken(message: Json, at: string): Part[] {
  const { content } = message
  if (content === undefined || content === null || content === '') return []
  if (!Array.isArray(content)) return decodeContent(message, at)
  return content.flatMap((value, index): Part[] => {
    const path = `${below(at, 'content')}[${index}]`
    const part = asObject(value, path)
    if (part.type === 'thinking') return [{ type: 'reasoning', text: thinkingText(part), style: 'full' }]
    const read = decodePart(part, path)
    return read.type === 'text' && read.text === '' ? [] : [read]
  })
}

function decodeCall(value: unknown, at: string): CallPart | ForeignPart {
  const call = asObject(value, at)
  const id = readString(call, 'id', at) ?? `call_${at.replace(/\D+/g, '_')}`
  const type = readString(call, 'type', at) ?? 'function'
  const signature = signatureOf(call)
  const signed = signature === undefined ? {} : { signature }
  if (type === 'custom') {
    const custom = asObject(call.custom, below(at, 'custom'))
    const path = below(at, 'custom')
    const text = readString(custom, 'input', path) ?? ''
    return { type: 'call', id, name: calledName(custom, path), arguments: text, custom: true, ...signed }
  }
  if (type !== 'function') return { type: 'foreign', what: type, at }
  const path = below(at, 'function')
  const called = asObject(call.function, path)
  return {
    type: 'call',
    id,
    name: calledName(called, path),
    arguments: argumentsOf(called, path),
    custom: false,
    ...signed,
  }
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
  const path = below(at, 'tool_call_id')
  if (callId === undefined) throw wrong(path, `${path} is required: the id of the tool call that this answers`)
  const name = readName(message, 'name', at)
  const named = name === undefined || name === '' ? {} : { name }
  return { type: 'result', callId, ...named, parts: resultParts(message, at), at }
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

type LegacyCalls = {
  call(called: Json, at: string): CallPart
  result(message: Json, at: string): ResultPart
}

/** Calls of the time before tools had no ids: a result belongs to the last open call of its name. */
function openLegacyCalls(): LegacyCalls {
  const open: { id: string; name: string }[] = []
  let count = 0
  return {
    call(called, at) {
      const name = calledName(called, at)
      const id = `call_legacy_${count++}`
      open.push({ id, name })
      return { type: 'call', id, name, arguments: argumentsOf(called, at), custom: false }
    },
    result(message, at) {
      const name = calledName(message, at)
      const found = open.findLastIndex((call) => call.name === name)
      const [answered] = found < 0 ? [] : open.splice(found, 1)
      const callId = answered?.id ?? `call_legacy_${count++}`
      return { type: 'result', callId, name, parts: resultParts(message, at), at }
    },
  }
}
