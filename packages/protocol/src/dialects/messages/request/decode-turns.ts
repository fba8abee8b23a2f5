// Content of a client's messages: strings or blocks, in canonical parts. Unknown kinds of block are no error: the
// vendor adds new ones, and only its own upstreams have to understand them.

import { isDataUrl, readDataUrl, sniffMime, standardBase64 } from '../../../canonical/media.ts'
import {
  asObject,
  asString,
  below,
  type Json,
  put,
  readArray,
  readFlag,
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
  ReasoningPart,
  ResultPart,
  Source,
  TextPart,
} from '../../../canonical/request.ts'
import { decodeCitations } from '../reply/citations.ts'

type Role = 'user' | 'assistant' | 'system'

export function decodeContent(content: unknown, at: string, role: Role): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrong(at, `${at} must be a string or an array of content blocks`)
  const parts: Part[] = []
  for (let index = 0; index < content.length; index++) {
    const place = `${at}[${index}]`
    addBlock(parts, asObject(content[index], place), place, role)
  }
  return parts
}

/** The blocks that only one side of the conversation can say. */
const SPEAKERS: ReadonlyMap<string, Role> = new Map([
  ['tool_use', 'assistant'],
  ['thinking', 'assistant'],
  ['redacted_thinking', 'assistant'],
  ['tool_result', 'user'],
])

function addBlock(parts: Part[], block: Json, at: string, role: Role): void {
  const type = typeof block.type === 'string' ? block.type : asString(block.type, below(at, 'type'))
  const speaker = SPEAKERS.get(type)
  if (speaker !== undefined && speaker !== role) {
    throw wrong(at, `${at}: ${type} blocks can only be in messages of the role ${speaker}`)
  }
  switch (type) {
    case 'tool_use':
      parts.push(readCall(block, at))
      break
    case 'tool_result':
      addResult(parts, block, at)
      break
    case 'thinking': {
      const signature = readString(block, 'signature', at) ?? ''
      const text = requiredString(block, 'thinking', at)
      const reasoning: ReasoningPart = { type: 'reasoning', text, style: 'summary' }
      if (signature !== '') reasoning.signature = signature
      parts.push(reasoning)
      break
    }
    case 'redacted_thinking':
      parts.push({ type: 'redacted', data: requiredString(block, 'data', at) })
      break
    case 'tool_addition':
    case 'tool_removal':
      parts.push({ type: 'foreign', what: type, at, isEssential: true, block })
      break
    default:
      addShown(parts, type, block, at)
  }
}

function readCall(block: Json, at: string): CallPart {
  const call: CallPart = {
    type: 'call',
    id: requiredIn(readName(block, 'id', at), at, 'id', 'the id of the call'),
    name: requiredIn(readName(block, 'name', at), at, 'name', 'the name of the tool'),
    arguments: JSON.stringify(readObject(block, 'input', at) ?? {}),
    custom: false,
  }
  put(call, 'cache', cacheOf(block, at))
  return call
}

const requiredString = (block: Json, name: string, at: string): string =>
  requiredIn(readString(block, name, at), at, name, 'a string')

type Shown = TextPart | MediaPart | ForeignPart

/** What may stand in a message and inside a tool's result alike. */
function addShown(parts: { push(shown: Shown): unknown }, type: string, block: Json, at: string): void {
  switch (type) {
    case 'text':
      parts.push(readText(block, at))
      break
    case 'image': {
      const image: MediaPart = { type: 'media', media: 'image', source: readSource(block, at), at }
      put(image, 'cache', cacheOf(block, at))
      parts.push(image)
      break
    }
    case 'document':
      for (const part of readDocument(block, at)) parts.push(part)
      break
    case 'search_result':
      parts.push(readSearchResult(block, at))
      break
    default:
      // A compaction stands for all that was said before it.
      parts.push({ type: 'foreign', what: type, at, ...(type === 'compaction' ? { isEssential: true } : {}) })
  }
}

function readText(block: Json, at: string): TextPart {
  const part: TextPart = { type: 'text', text: requiredString(block, 'text', at) }
  const citations = decodeCitations(block.citations)
  if (citations.length > 0) part.citations = citations
  put(part, 'cache', cacheOf(block, at))
  return part
}

function addResult(into: Part[], block: Json, at: string): void {
  const callId = requiredIn(readName(block, 'tool_use_id', at), at, 'tool_use_id', 'the id of the call')
  const isError = readFlag(block, 'is_error', at) === true
  const found = readResultContent(block.content, below(at, 'content'))
  const parts = found.filter((part) => part.type !== 'foreign')
  const result: ResultPart = { type: 'result', callId, parts, at }
  if (isError) result.isError = true
  put(result, 'cache', cacheOf(block, at))
  into.push(result)
  // What only this dialect can put into a result stands beside it, so that others say that they left it out.
  for (const part of found) if (part.type === 'foreign') into.push(part)
}

function readResultContent(content: unknown, at: string): Shown[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrong(at, `${at} must be a string or an array of content blocks`)
  const parts: Shown[] = []
  for (let index = 0; index < content.length; index++) {
    const place = `${at}[${index}]`
    const block = asObject(content[index], place)
    const type = asString(block.type, below(place, 'type'))
    if (type === 'tool_reference') parts.push(readToolReference(block, place))
    else addShown(parts, type, block, place)
  }
  return parts
}

function readSource(block: Json, at: string): Source {
  const path = below(at, 'source')
  const source = asObject(block.source, path)
  switch (asString(source.type, below(path, 'type'))) {
    case 'base64': {
      const given = asString(source.data, below(path, 'data'))
      const data = standardBase64(given)
      if (data === undefined) throw wrong(below(path, 'data'), `${below(path, 'data')} must be base64`)
      return { kind: 'inline', mime: asString(source.media_type, below(path, 'media_type')).toLowerCase(), data }
    }
    case 'url': {
      const url = asString(source.url, below(path, 'url'))
      return isDataUrl(url) ? inlineOf(url, below(path, 'url')) : { kind: 'url', url }
    }
    case 'file':
      return { kind: 'object', id: asString(source.file_id, below(path, 'file_id')) }
    default:
      // A kind that the vendor alone knows: what is behind it can be shown to no other model.
      return { kind: 'object', id: String(source.type) }
  }
}

function inlineOf(url: string, at: string): Source {
  const read = readDataUrl(url)
  const data = read === undefined ? undefined : standardBase64(read.data)
  const mime = data === undefined ? undefined : (read?.mime ?? sniffMime(data))
  if (data === undefined || mime === undefined) throw wrong(at, `${at} must be a URL, or data in base64`)
  return { kind: 'inline', mime, data }
}

function readDocument(block: Json, at: string): (TextPart | MediaPart | ForeignPart)[] {
  const path = below(at, 'source')
  const source = asObject(block.source, path)
  const name = readString(block, 'title', at)
  const context = readString(block, 'context', at)
  const cite = readFlag(readObject(block, 'citations', at) ?? {}, 'enabled', below(at, 'citations'))
  const cache = cacheOf(block, at)
  const about = {
    ...(name === undefined ? {} : { name }),
    ...(context === undefined ? {} : { context }),
    ...(cite === true ? { cite } : {}),
    ...(cache === undefined ? {} : { cache }),
    at,
  }
  const document = (from: Source): MediaPart => ({ type: 'media', media: 'document', source: from, ...about })
  const type = asString(source.type, below(path, 'type'))
  if (type === 'text') {
    const mime = readString(source, 'media_type', path) ?? 'text/plain'
    return [document({ kind: 'text', mime, text: asString(source.data, below(path, 'data')) })]
  }
  if (type === 'content') {
    const parts = readResultContent(source.content, below(path, 'content'))
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const others = parts.filter((part) => part.type !== 'text')
    const text = document({ kind: 'text', mime: 'text/plain', text: texts.join('\n\n') })
    return texts.length > 0 ? [text, ...others] : others
  }
  return [document(readSource(block, at))]
}

/** What a search for tools found. The vendor shows the tool in its place; elsewhere it stands among the tools. */
function readToolReference(block: Json, at: string): TextPart {
  const name = required(readName(block, 'tool_name', at), below(at, 'tool_name'), 'the name of the tool')
  const part: TextPart = { type: 'text', text: `The tool ${name} can be called now.` }
  put(part, 'cache', cacheOf(block, at))
  return part
}

/** Something found for the model, which it may cite. Everybody else reads it as text. */
function readSearchResult(block: Json, at: string): TextPart {
  const title = readString(block, 'title', at) ?? ''
  const source = readString(block, 'source', at) ?? ''
  const texts = (readArray(block, 'content', at) ?? []).map((item, index) => {
    const place = `${below(at, 'content')}[${index}]`
    return asString(asObject(item, place).text, below(place, 'text'))
  })
  const head = `<search_result title=${JSON.stringify(title)} source=${JSON.stringify(source)}>`
  const part: TextPart = { type: 'text', text: `${head}\n${texts.join('\n\n')}\n</search_result>` }
  put(part, 'cache', cacheOf(block, at))
  return part
}

export function cacheOf(block: Json, at: string): CacheMark | undefined {
  const control = readObject(block, 'cache_control', at)
  if (control === undefined) return undefined
  const { ttl } = control
  return ttl === '5m' || ttl === '1h' ? { ttl } : {}
}

export function required<Value>(value: Value | undefined, at: string, what: string): Value {
  if (value !== undefined) return value
  throw wrong(at, `${at} is required: ${what}`)
}

/** The same for a member of what stands at `at`: its path is only put together when it is missing. */
export const requiredIn = <Value>(value: Value | undefined, at: string, name: string, what: string): Value =>
  value !== undefined ? value : required(value, below(at, name), what)

export function decodeTextBlocks(value: unknown, at: string): InstructionText[] {
  if (typeof value === 'string') return [{ text: value }]
  if (!Array.isArray(value)) throw wrong(at, `${at} must be a string or an array of text blocks`)
  return value.map((item, index) => {
    const place = `${at}[${index}]`
    const block = asObject(item, place)
    const instruction: InstructionText = { text: requiredString(block, 'text', place) }
    put(instruction, 'cache', cacheOf(block, place))
    return instruction
  })
}
